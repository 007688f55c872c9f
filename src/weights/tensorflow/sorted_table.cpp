#include "weights/tensorflow/sorted_table.h"

#include <snappy-c.h>

#include "base/crc32c.h"
#include "base/files/byte_reader.h"

namespace convoy {
namespace {

constexpr size_t footer_bytes = 48, trailer_bytes = 5;
constexpr uint8_t raw = 0, snappy = 1;
constexpr size_t snappy_ratio = 22;  // snappy's maximum: 64 bytes from 3
// Limits for memory relative to the file: a key may repeat the previous key, and each entry has a
// fixed cost. A real entry takes about 70 bytes in the file and three to five times that in memory.
constexpr size_t most_growth = 8, entry_cost = 192;
constexpr size_t small_anyway = 1 << 20;

struct Handle {
  uint64_t offset, size;
};

Handle read_handle(ByteReader& reader) {
  const uint64_t offset = reader.varint();
  return {offset, reader.varint()};
}

class Table {
 public:
  Table(std::string_view bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {}

  std::vector<TableEntry> read() {
    if (bytes_.size() < footer_bytes || !bytes_.ends_with(table_magic)) {
      fail("it does not end as an index does");
    }
    ByteReader footer(bytes_.substr(bytes_.size() - footer_bytes), origin_, "the index");
    block(read_handle(footer));  // the meta index is not used, but must be valid
    for (const TableEntry& entry : entries(block(read_handle(footer)))) {
      ByteReader reader(entry.value, origin_, "the index");
      const Handle handle = read_handle(reader);
      for (TableEntry& found : entries(block(handle))) {
        if (!all_.empty() && found.key <= all_.back().key) fail("its keys are out of order");
        all_.push_back(std::move(found));
      }
    }
    return std::move(all_);
  }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    raise(Fault::checkpoint,
          "{}: not a sound index of a TensorFlow checkpoint: {}; try: fetch or "
          "save it again",
          origin_, why);
  }

  std::string block(const Handle& handle) {
    const size_t room = bytes_.size() - footer_bytes;
    if (handle.offset > room || handle.size > room - handle.offset ||
        room - handle.offset - handle.size < trailer_bytes) {
      fail("a block lies outside of it");
    }
    // Overlapping blocks would be read, checked and expanded many times.
    read_ += handle.size + trailer_bytes;
    if (read_ > room) fail("its blocks overlap");
    const auto size = static_cast<size_t>(handle.size);
    const std::string_view stored = bytes_.substr(static_cast<size_t>(handle.offset), size + 1);
    ByteReader trailer(bytes_.substr(static_cast<size_t>(handle.offset) + size), origin_,
                       "a block");
    const uint8_t type = trailer.byte();
    if (trailer.number<uint32_t>() != masked_crc32c(crc32c(stored))) {
      fail("the checksum of a block is wrong");
    }
    const std::string_view content = stored.substr(0, size);
    if (type == raw) return std::string(content);
    if (type != snappy) fail("a block is compressed in an unknown way");
    size_t length = 0;
    if (snappy_uncompressed_length(content.data(), content.size(), &length) != SNAPPY_OK ||
        length > content.size() * snappy_ratio + 64) {
      fail("a block claims to expand to more than it can");
    }
    std::string expanded(length, '\0');
    if (snappy_uncompress(content.data(), content.size(), expanded.data(), &length) != SNAPPY_OK ||
        length != expanded.size()) {
      fail("a block does not expand");
    }
    return expanded;
  }

  // Entries (length shared with the previous key, further key bytes, value bytes; then both),
  // followed by the restart points and their number.
  std::vector<TableEntry> entries(const std::string& block) {
    if (block.size() < 4) fail("a block is too short");
    uint32_t restarts = 0;
    std::memcpy(&restarts, block.data() + block.size() - 4, 4);
    if (restarts > (block.size() - 4) / 4) fail("a block has too many restart points");
    ByteReader reader(std::string_view(block).substr(0, block.size() - 4 - size_t{4} * restarts),
                      origin_, "a block");
    std::vector<TableEntry> found;
    std::string key;
    while (!reader.done()) {
      const uint64_t shared = reader.varint(), more = reader.varint(), value = reader.varint();
      if (shared > key.size()) fail("a key continues one that is shorter");
      key.resize(static_cast<size_t>(shared));
      key += reader.take(more);
      grown_ += key.size() + value + entry_cost;
      if (grown_ > bytes_.size() * most_growth + small_anyway) fail("its keys expand too much");
      if (!found.empty() && key <= found.back().key) fail("its keys are out of order");
      found.push_back({key, std::string(reader.take(value))});
    }
    return found;
  }

  std::string_view bytes_;
  const std::string& origin_;
  std::vector<TableEntry> all_;
  size_t grown_ = 0, read_ = 0;
};

}  // namespace

std::vector<TableEntry> read_sorted_table(std::string_view bytes, const std::string& origin) {
  return Table(bytes, origin).read();
}

}  // namespace convoy
