#include "base/sip_hash.h"

#include <bit>

namespace convoy {
namespace {

struct SipState {
  uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void take(uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  uint64_t finish() {
    for (int i = 0; i < 4; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

// Up to eight bytes, the first one lowest.
uint64_t word_of(std::string_view bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

}  // namespace

SipHash sip_hash(const SipKey& key, std::string_view text) {
  SipState state{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d ^ 0xee,
                 key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
  const uint64_t length = uint64_t{text.size()} << 56;
  for (; text.size() >= 8; text.remove_prefix(8)) state.take(word_of(text.substr(0, 8)));
  state.take(word_of(text) | length);
  state.v2 ^= 0xee;
  SipHash hash{};
  hash[0] = state.finish();
  state.v1 ^= 0xdd;
  hash[1] = state.finish();
  return hash;
}

}  // namespace convoy
