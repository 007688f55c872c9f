// Reads LevelDB's sorted table, the container of a TensorFlow checkpoint's index. It has blocks of
// keys, where each key is stored as its difference to the one before; each block has a masked
// CRC-32C and may be compressed with snappy. An index block lists them, and a footer ends with a
// magic number.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

struct TableEntry {
  std::string key;
  std::string value;
};

// The last 8 bytes of every table.
inline constexpr std::string_view table_magic{"\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8};

// All entries, keys strictly increasing. Every checksum, length and order is checked;
// Fault::checkpoint naming `origin` otherwise. Memory is limited to a small multiple of the size of
// `bytes`.
std::vector<TableEntry> read_sorted_table(std::string_view bytes, const std::string& origin);

}  // namespace convoy
