// SipHash-2-4 with 128 bits (Aumasson, Bernstein, 2012): a keyed hash. Without the key it is
// infeasible to compute the hash of a text, or to learn the key from hashes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace convoy {

using SipKey = std::array<uint64_t, 2>;   // its bytes in little-endian order
using SipHash = std::array<uint64_t, 2>;  // two words, bytes in little-endian order

SipHash sip_hash(const SipKey& key, std::string_view text);

}  // namespace convoy
