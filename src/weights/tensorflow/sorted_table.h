// LevelDB's sorted table, the container of a TensorFlow checkpoint's index: blocks of keys, each
// key as its difference to the one before, each block with a masked CRC-32C, perhaps compressed
// with snappy; an index block of the others; a footer with a magic number.
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
// Fault::checkpoint naming `origin` otherwise. What it gives is at most some hundred times as large
// as `bytes`, whatever they claim.
std::vector<TableEntry> read_sorted_table(std::string_view bytes, const std::string& origin);

}  // namespace convoy
