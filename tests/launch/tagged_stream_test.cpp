#include "launch/tagged_stream.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace convoy {
namespace {

// "0|text" for every line; cut into pieces of `piece` bytes.
std::string lines(const std::string& bytes, size_t piece) {
  std::string all;
  TaggedStream stream([&](int rank, std::string_view text) {
    all += std::to_string(rank) + "|" + std::string(text) + "\n";
  });
  for (size_t i = 0; i < bytes.size(); i += piece) stream.take(bytes.substr(i, piece));
  stream.finish();
  return all;
}

TEST(TaggedStream, LinesAreThoseOfTheirRank) {
  const std::string mixed =
      "[1,0]<stdout>:hi\n"
      "[1,0]<stdout>:abc[1,1]<stdout>:one\n"
      "[1,12]<stderr>:\n"
      "[1,0]<stdout>:def\n"
      "mpirun says [this]\n"
      "[1,1]<stdout>:[2,x]<stdout>: [1,2]<std [\n"
      "[1,1]<stdout>:no end";
  const std::string wanted =
      "0|hi\n1|one\n12|\n0|abcdef\n-1|mpirun says [this]\n1|[2,x]<stdout>: [1,2]<std [\n1|no end\n";
  for (size_t piece = 1; piece < mixed.size() + 1; ++piece) {
    EXPECT_EQ(lines(mixed, piece), wanted) << piece;
  }
}

TEST(TaggedStream, WhatIsNoTagIsText) {
  for (const char* text : {"[", "[1", "[1,", "[1,2", "[1,2]", "[1,2]<stdout>", "[,]<stdout>:x",
                           "[1,99999999999999999999]<stdout>:x", "[-1,0]<stdout>:x", "[[[[", "]"}) {
    EXPECT_EQ(lines(text, 3), "-1|" + std::string(text) + "\n");
  }
}

TEST(TaggedStream, NothingGrowsForEver) {
  const std::string wide(3 << 20, 'x');
  int parts = 0;
  size_t bytes = 0;
  TaggedStream stream([&](int rank, std::string_view text) {
    EXPECT_EQ(rank, 3);
    ++parts;
    bytes += text.size();
  });
  stream.take("[1,3]<stdout>:");
  for (size_t i = 0; i < wide.size(); i += 65536) stream.take(wide.substr(i, 65536));
  stream.finish();
  EXPECT_GE(parts, 3);
  EXPECT_EQ(bytes, wide.size());
}

TEST(TaggedStream, NoBytesAreLostWhateverTheyAre) {
  Random random(random_key(1, Purpose::generated, 5));
  const std::string alphabet = "[1,2]<stdouerdiag>:\nx";
  for (int i = 0; i < 500; ++i) {
    std::string bytes;
    for (int k = 0; k < 200; ++k) bytes += alphabet[random.below(alphabet.size())];
    EXPECT_EQ(lines(bytes, 1), lines(bytes, 1000)) << bytes;
  }
}

}  // namespace
}  // namespace convoy
