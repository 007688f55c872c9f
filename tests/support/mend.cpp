#include "support/mend.h"

#include <zlib.h>

#include <cstring>

#include "base/crc32c.h"
#include "base/files/byte_reader.h"
#include "base/files/file.h"

namespace convoy::test {

void mend_zip(std::string& bytes) {
  for (size_t at = bytes.find("PK\x01\x02"); at != bytes.npos;
       at = bytes.find("PK\x01\x02", at + 4)) {
    if (at + 46 > bytes.size()) return;
    uint32_t size = 0, header = 0;
    uint16_t method = 0, name = 0, extra = 0;
    std::memcpy(&method, &bytes[at + 10], 2);
    std::memcpy(&size, &bytes[at + 20], 4);
    std::memcpy(&header, &bytes[at + 42], 4);
    if (method != 0 || size_t{header} + 30 > bytes.size()) continue;
    std::memcpy(&name, &bytes[header + 26], 2);
    std::memcpy(&extra, &bytes[header + 28], 2);
    const size_t data = size_t{header} + 30 + name + extra;
    if (data > bytes.size() || size > bytes.size() - data) continue;
    const auto* content = reinterpret_cast<const Bytef*>(bytes.data() + data);
    const auto crc = static_cast<uint32_t>(::crc32(0, content, size));
    std::memcpy(&bytes[at + 16], &crc, 4);
  }
}

void mend_png(std::string& bytes) {
  for (size_t at = 8; at + 12 <= bytes.size();) {
    size_t size = 0;
    for (size_t i = 0; i < 4; ++i) size = size << 8 | static_cast<uint8_t>(bytes[at + i]);
    if (size > bytes.size() - at - 12) return;
    const auto* data = reinterpret_cast<const Bytef*>(&bytes[at + 4]);
    const uint64_t crc = ::crc32(0, data, static_cast<uInt>(size + 4));
    for (size_t i = 0; i < 4; ++i)
      bytes[at + 8 + size + i] = static_cast<char>(crc >> (24 - 8 * i));
    at += size + 12;
  }
}

void mend_index(std::string& bytes) {
  constexpr size_t index = 6 + 12, rest = index + 8;
  if (bytes.size() <= rest) return;
  const size_t size = static_cast<uint8_t>(bytes[4]) * 256u + static_cast<uint8_t>(bytes[5]);
  if (size + 4 <= rest || size + 4 > bytes.size()) return;
  const uint64_t hash = hash_bytes(std::string_view(bytes).substr(rest, size + 4 - rest));
  for (size_t i = 0; i < 8; ++i) bytes[index + i] = static_cast<char>(hash >> (56 - 8 * i));
}

namespace {

// The block that the handle at `reader` names gets its checksum; its content, where it has one.
std::string_view mend_block(std::string& bytes, ByteReader& reader) {
  const uint64_t offset = reader.varint(), size = reader.varint();
  if (offset > bytes.size() || size > bytes.size() - offset || bytes.size() - offset - size < 5) {
    return {};
  }
  const auto at = static_cast<size_t>(offset), length = static_cast<size_t>(size);
  const uint32_t crc = masked_crc32c(crc32c(std::string_view(bytes).substr(at, length + 1)));
  std::memcpy(&bytes[at + length + 1], &crc, sizeof crc);
  return std::string_view(bytes).substr(at, length);
}

}  // namespace

void mend_table(std::string& bytes) {
  constexpr size_t footer_bytes = 48;
  if (bytes.size() < footer_bytes) return;
  const std::string origin;
  try {
    const std::string footer = bytes.substr(bytes.size() - footer_bytes);
    ByteReader handles(footer, origin, "");
    mend_block(bytes, handles);
    const std::string index(mend_block(bytes, handles));
    // Entries: shared bytes of the key, further ones, bytes of the value; a value is a handle.
    ByteReader reader(index, origin, "");
    for (int i = 0; i < 16; ++i) {
      reader.varint();
      const uint64_t more = reader.varint(), value = reader.varint();
      reader.take(more);
      ByteReader handle(reader.take(value), origin, "");
      mend_block(bytes, handle);
    }
  } catch (const Error&) {  // the end of what can be mended
  }
}

}  // namespace convoy::test
