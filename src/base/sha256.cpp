#include "base/sha256.h"

#include <array>
#include <bit>
#include <cstdint>

namespace convoy {
namespace {

constexpr size_t block_bytes = 64;

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct State {
  std::array<uint32_t, 8> h{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

  void add(const unsigned char* block) {
    std::array<uint32_t, 64> w{};
    for (size_t i = 0; i < 16; ++i) {
      for (size_t k = 0; k < 4; ++k) w[i] = w[i] << 8 | block[i * 4 + k];
    }
    for (size_t i = 16; i < 64; ++i) {
      const uint32_t a = w[i - 15], b = w[i - 2];
      const uint32_t low = std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3;
      const uint32_t high = std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10;
      w[i] = w[i - 16] + low + w[i - 7] + high;
    }
    std::array<uint32_t, 8> v = h;
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t e = v[4], a = v[0];
      const uint32_t choice = (e & v[5]) ^ (~e & v[6]);
      const uint32_t majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
      const uint32_t of_e = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const uint32_t of_a = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const uint32_t first = v[7] + of_e + choice + constants[i] + w[i];
      v = {first + of_a + majority, a, v[1], v[2], v[3] + first, e, v[5], v[6]};
    }
    for (size_t i = 0; i < 8; ++i) h[i] += v[i];
  }
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  State state;
  size_t done = 0;
  for (; done + block_bytes <= bytes.size(); done += block_bytes) {
    state.add(reinterpret_cast<const unsigned char*>(bytes.data() + done));
  }
  // The rest, a one bit, zeros, and the length in bits: one or two blocks.
  std::string end(bytes.substr(done));
  end += '\x80';
  while (end.size() % block_bytes != block_bytes - 8) end += '\0';
  const uint64_t bits = static_cast<uint64_t>(bytes.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift);
  for (size_t at = 0; at < end.size(); at += block_bytes) {
    state.add(reinterpret_cast<const unsigned char*>(end.data() + at));
  }
  std::string hex;
  for (const uint32_t word : state.h) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15];
  }
  return hex;
}

}  // namespace convoy
