#include "weights/zip_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/allocations.h"
#include "support/raises.h"
#include "support/weight_writers.h"

namespace convoy::test {
namespace {

const std::vector<ZipPart> sample{{"a", "hello"},
                                  {"folder/b", std::string(5000, 'x'), true},
                                  {"empty", ""},
                                  {"c", "world", true}};

// The bytes at `place` become those of `value`.
template <class T>
std::string with(std::string bytes, size_t place, T value) {
  std::memcpy(bytes.data() + place, &value, sizeof value);
  return bytes;
}

void expect_refused(const std::string& bytes, std::string_view words) {
  expect_raises(Fault::checkpoint, {"x.zip", words}, [&] {
    const ZipFile zip(bytes, "x.zip");
    for (const ZipMember& member : zip.members()) zip.read(member);
  });
}

TEST(ZipFile, MembersAreRead) {
  const std::string bytes = zip_of(sample);
  const ZipFile zip(bytes, "x.zip");
  EXPECT_EQ(zip.members().size(), sample.size());
  for (const ZipPart& part : sample) {
    const ZipMember* member = zip.find(part.name);
    ASSERT_NE(member, nullptr);
    EXPECT_EQ(zip.read(*member).bytes, part.content);
  }
  EXPECT_EQ(zip.find("b"), nullptr);
  EXPECT_TRUE(ZipFile(zip_of({}), "x.zip").members().empty());
}

TEST(ZipFile, ACommentAtTheEndIsNoHarm) {
  std::string bytes = zip_of(sample);
  bytes = with<uint16_t>(bytes, bytes.size() - 2, 7) + "comment";
  EXPECT_EQ(ZipFile(bytes, "x.zip").members().size(), sample.size());
}

TEST(ZipFile, DamageIsRefused) {
  const std::string bytes = zip_of({{"a", "hello"}, {"b", "world"}});
  const size_t first = 0, second = 36, directory = 72, entry = 47, end = bytes.size() - 22;
  ASSERT_EQ(bytes.substr(second, 4), "PK\x03\x04");
  ASSERT_EQ(bytes.substr(directory + entry, 4), "PK\x01\x02");
  expect_refused("", "no directory");
  expect_refused(bytes + "x", "no directory");
  expect_refused(with<char>(bytes, first + 30, 'z'), "another one in its own header");
  expect_refused(with<char>(bytes, first + 31, 'J'), "checksum");
  expect_refused(with<uint32_t>(bytes, first, 0), "is not there");
  expect_refused(with<uint16_t>(bytes, directory + 8, 1), "encrypted");
  expect_refused(with<uint16_t>(bytes, directory + 10, 12), "another one in its own header");
  expect_refused(with<uint32_t>(bytes, directory + 20, 6), "cannot have that method and size");
  expect_refused(with<uint32_t>(bytes, directory + 20, 4000000000), "lies outside");
  expect_refused(with<uint32_t>(bytes, directory + 42, 4000000000), "lies outside");
  expect_refused(with<uint16_t>(bytes, directory + 28, 9999), "ends too early");
  expect_refused(with<uint32_t>(bytes, end + 16, 4000000000), "lies outside");
  expect_refused(with<uint32_t>(bytes, end + 12, 4000000000), "lies outside");
  expect_refused(with<uint16_t>(bytes, end + 10, 3), "another number of entries");
  expect_refused(with<uint16_t>(bytes, end + 4, 1), "several parts");
  // Both entries of the directory name the first member.
  std::string twice = bytes;
  twice.replace(directory + entry, entry, bytes.substr(directory, entry));
  expect_refused(twice, "overlaps");
  // The second begins inside the first.
  std::string inside = "PK\x03\x04" + std::string(26, '\0') + "x";
  inside = with<uint16_t>(inside, 26, 1);
  std::string nested = zip_of({{"a", inside}, {"x", ""}});
  nested = with<uint32_t>(nested, nested.size() - 22 - 47 + 42, 31);
  expect_refused(nested, "overlaps");
  expect_refused(zip_of({{"a", "1"}, {"a", "2"}}), "appears twice");
}

TEST(ZipFile, WhatExpandsTooFarIsRefusedBeforeItDoes) {
  const std::string bomb = zip_of({{"a", std::string(8 << 20, '\0'), true}});
  const size_t directory = bomb.size() - 22 - 47;
  EXPECT_EQ(ZipFile(bomb, "x.zip").members().size(), 1u);
  // It says less than comes, more than comes, more than can come.
  expect_refused(with<uint32_t>(bomb, directory + 24, 1000), "does not expand");
  expect_refused(with<uint32_t>(bomb, directory + 24, (8 << 20) + 1), "does not expand");
  expect_refused(with<uint32_t>(bomb, directory + 24, 4000000000), "method and size");
  const AllocationCounter counter;
  expect_refused(with<uint32_t>(bomb, directory + 24, 1000), "does not expand");
  EXPECT_LT(counter.bytes(), 1 << 20);
  expect_refused(with<char>(bomb, 40, '\x7f'), "does not expand");
}

TEST(ZipFile, AllMembersTogetherExpandToAFewTimesTheFile) {
  // A thousandfold, in several members: none of them is expanded.
  const std::string zeros(6 << 20, '\0');
  const std::string bomb = zip_of({{"a", zeros, true}, {"b", zeros, true}, {"c", zeros, true}});
  const AllocationCounter counter;
  expect_refused(bomb, "would expand from");
  EXPECT_LT(counter.bytes(), 1 << 16);
  // Stored bytes count as what they are.
  EXPECT_EQ(ZipFile(zip_of({{"a", zeros, true}, {"b", std::string(12 << 20, 'x')}}), "x.zip")
                .members()
                .size(),
            2u);
}

TEST(ZipFile, EveryTruncationAndEveryFlippedByteIsSeenOrHarmless) {
  const std::string bytes = zip_of({{"a", "hello"}, {"b", std::string(40, 'y'), true}});
  const auto contents = [](const std::string& file) {
    std::map<std::string, std::string> all;
    const ZipFile zip(file, "x.zip");
    for (const ZipMember& m : zip.members()) all[std::string(m.name)] = zip.read(m).bytes;
    return all;
  };
  const auto truth = contents(bytes);
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(contents(bytes.substr(0, length)), Error) << length;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      try {
        EXPECT_EQ(contents(with(bytes, i, static_cast<char>(bytes[i] ^ flip))), truth) << i;
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::checkpoint);
      }
    }
  }
}

}  // namespace
}  // namespace convoy::test
