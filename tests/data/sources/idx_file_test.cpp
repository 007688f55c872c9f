#include "data/sources/idx_file.h"

#include <gtest/gtest.h>

#include "support/allocations.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::gzip;
using test::idx_bytes;
using test::write_bytes;

TEST(IdxFile, ReadsPlainAndZippedAlike) {
  const test::TempFolder folder;
  const std::string bytes = idx_bytes(0x803, {2, 1, 3}, "abcdef");
  write_bytes(folder / "plain", bytes);
  write_bytes(folder / "zipped.gz", gzip(bytes));
  // gzip files may be put one behind the other.
  write_bytes(folder / "two.gz", gzip(bytes.substr(0, 9)) + gzip(bytes.substr(9)));
  for (const char* stem : {"plain", "zipped", "two"}) {
    const IdxFile file = read_idx(folder.path(), stem, 3, "look");
    EXPECT_EQ(file.dims, (std::vector<int64_t>{2, 1, 3})) << stem;
    EXPECT_EQ(std::string(file.data.begin(), file.data.end()), "abcdef") << stem;
  }
}

void expect_bad(const std::string& bytes, bool zipped,
                std::initializer_list<std::string_view> words) {
  const test::TempFolder folder;
  write_bytes(folder / (zipped ? "f.gz" : "f"), bytes);
  test::expect_raises(Fault::data, words, [&] { read_idx(folder.path(), "f", 1, "get it again"); });
}

TEST(IdxFile, SaysWhatIsWrongWithAFile) {
  const std::string good = idx_bytes(0x801, {5}, "abcde");
  expect_bad(good.substr(0, 12), false,
             {"/f is truncated", "4 bytes", "promises 5", "get it again"});
  expect_bad(good + "x", false, {"is too long", "6 bytes"});
  expect_bad(good.substr(0, 6), false, {"is truncated", "6 bytes"});
  expect_bad("", false, {"is truncated", "0 bytes"});
  expect_bad(idx_bytes(0x803, {5}, "abcde"), false, {"magic number 00000803", "expected 00000801"});
  expect_bad(idx_bytes(0xd01, {5}, "abcde"), false, {"magic number 00000d01"});  // floats
  expect_bad(gzip(good.substr(0, 12)), true, {"/f.gz is truncated", "promises 5"});
}

TEST(IdxFile, SaysWhatIsWrongWithAZippedFile) {
  const std::string good = gzip(idx_bytes(0x801, {300}, std::string(300, 'a')));
  for (size_t cut = 1; cut < good.size(); ++cut) {  // wherever the download broke off
    expect_bad(good.substr(0, cut), true, {"f.gz is truncated", "try:"});
  }
  expect_bad("", true, {"truncated"});
  expect_bad("no gzip at all", true, {"f.gz is damaged", "try:"});
  expect_bad(good + "rubbish behind", true, {"damaged"});
  std::string flipped = good;
  flipped[good.size() - 6] ^= 1;  // in the checksum
  expect_bad(flipped, true, {"damaged", "incorrect data check"});
}

TEST(IdxFile, SurvivesAnyFlippedBit) {
  const test::TempFolder folder;
  const std::string good = gzip(idx_bytes(0x801, {64}, std::string(64, 'q')));
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    write_bytes(folder / "f.gz", bad);
    try {
      const IdxFile file = read_idx(folder.path(), "f", 1, "");
      EXPECT_EQ(file.data,
                std::vector<uint8_t>(64, 'q'));  // time stamps and the like do not matter
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::data);
    }
  }
}

TEST(IdxFile, IsNotFooledByHugeDimensions) {
  const test::TempFolder folder;
  write_bytes(folder / "f", idx_bytes(0x803, {0xffffffff, 0xffffffff, 0xffffffff}, "abc"));
  test::expect_raises(Fault::data, {"truncated"}, [&] { read_idx(folder.path(), "f", 3, ""); });
  // 2^32 * 2^32 would be 0 and fit an empty file.
  write_bytes(folder / "g", idx_bytes(0x803, {0x80000000, 0x80000000, 4}, ""));
  test::expect_raises(Fault::data, {"truncated"}, [&] { read_idx(folder.path(), "g", 3, ""); });
}

TEST(IdxFile, AZippedFileThatExpandsAThousandfoldTakesNoMemory) {
  const test::TempFolder folder;
  const std::string zeros(20 << 20, '\0');
  // It promises what is in it, and less than is in it.
  write_bytes(folder / "f.gz", gzip(idx_bytes(0x801, {20 << 20}, zeros)));
  write_bytes(folder / "g.gz", gzip(idx_bytes(0x801, {100}, zeros)));
  const test::AllocationCounter counter;
  test::expect_raises(Fault::data, {"f.gz: promises 20971520 bytes, more than"},
                      [&] { read_idx(folder.path(), "f", 1, "look"); });
  test::expect_raises(Fault::data, {"g.gz is too long: at least"},
                      [&] { read_idx(folder.path(), "g", 1, "look"); });
  EXPECT_LT(counter.bytes(), 1 << 20);
}

TEST(IdxFile, NamesTheSourceOfAMissingFile) {
  const test::TempFolder folder;
  test::expect_raises(Fault::data, {"train-images", "train-images.gz", "try: apt install x"},
                      [&] { read_idx(folder.path(), "train-images", 3, "apt install x"); });
}

}  // namespace
}  // namespace convoy
