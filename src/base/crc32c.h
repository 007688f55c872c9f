// CRC-32C (Castagnoli), as TensorFlow's files and LevelDB's tables use it, and their mask. They
// mask a checksum before they store it, because the CRC of bytes that contain their own CRC is
// weak.
#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

// The checksum of `bytes`; `before` is the checksum of the bytes in front of them.
uint32_t crc32c(std::string_view bytes, uint32_t before = 0);

constexpr uint32_t masked_crc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace convoy
