#include "base/sip_hash.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>

namespace convoy {
namespace {

std::string bytes_of(const SipHash& hash) {
  std::string text;
  for (const uint64_t word : hash) {
    for (int i = 0; i < 8; ++i) text += fmt::format("{:02x}", word >> (8 * i) & 0xff);
  }
  return text;
}

// The first of its authors' test vectors: key 00 01 ... 0f, text 00 01 ... of each length.
TEST(SipHash, IsThatOfItsAuthors) {
  constexpr SipKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(bytes_of(sip_hash(key, "")), "a3817f04ba25a8e66df67214c7550293");
  EXPECT_EQ(bytes_of(sip_hash(key, std::string_view("\0", 1))), "da87c1d86b99af44347659119b22fc45");
  EXPECT_EQ(bytes_of(sip_hash(key, std::string_view("\0\1", 2))),
            "8177228da4a45dc7fca38bdef60affe4");
}

TEST(SipHash, EveryByteAndEveryBitOfTheKeyCount) {
  const std::string text = "a text of more than two words";
  const SipHash whole = sip_hash({1, 2}, text);
  for (size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] ^= 1;
    EXPECT_NE(sip_hash({1, 2}, other), whole) << i;
  }
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_NE(sip_hash({1 ^ uint64_t{1} << bit, 2}, text), whole);
    EXPECT_NE(sip_hash({1, 2 ^ uint64_t{1} << bit}, text), whole);
  }
}

}  // namespace
}  // namespace convoy
