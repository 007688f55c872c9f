// CRC-32C (Castagnoli), as TensorFlow's files and LevelDB's tables use it, and their mask: a stored
// checksum of bytes that hold checksums themselves would be a weak one.
#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

// Of `bytes`, going on from the checksum of what lies before them.
uint32_t crc32c(std::string_view bytes, uint32_t before = 0);

constexpr uint32_t masked_crc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace convoy
