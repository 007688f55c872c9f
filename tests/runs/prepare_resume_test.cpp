// `convoy prepare`, killed and run again: the same bytes as if nothing had happened.

#include <gtest/gtest.h>

#include <csignal>

#include "records/tfrecord.h"
#include "support/raw_set.h"
#include "support/shared_data.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

int64_t files_in(const fs::path& folder) {
  int64_t count = 0;
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    count += !entry->path().filename().string().starts_with(".") && entry->is_regular_file(code);
  }
  return count;
}

// Runs the command to its end, killed whenever `step` more files are there; gives how often.
int killed_again_and_again(const Arguments& arguments, const fs::path& folder, int64_t step) {
  const fs::path output = folder / "out";
  for (int kills = 0; kills < 100; ++kills) {
    const int64_t have = files_in(output);
    Process process(arguments, folder);
    if (!process.until([&] { return files_in(output) >= have + step; })) {
      const Finished end = process.wait();
      EXPECT_EQ(end.code, 0) << end.err;
      return kills;
    }
    process.send(SIGKILL);
    process.wait();
  }
  ADD_FAILURE() << "never done";
  return 100;
}

void expect_same_when_killed(const Arguments& arguments, const fs::path& folder, int64_t step) {
  const Finished whole = run_convoy(arguments, folder);
  ASSERT_EQ(whole.code, 0) << whole.err;
  const auto wanted = files_below(folder / "out");
  fs::remove_all(folder / "out");
  EXPECT_GE(killed_again_and_again(arguments, folder, step), 1);
  const auto made = files_below(folder / "out");
  EXPECT_EQ(made.size(), wanted.size());
  EXPECT_TRUE(made == wanted);
}

TEST(PrepareResume, RecordsAreTheSame) {
  const TempFolder folder;
  RawSet(20, 40).write_tars(folder / "in");
  expect_same_when_killed({"prepare", "imagenet", "--input", "in", "--output", "out",
                           "--train-shards", "40", "--validation-shards", "8"},
                          folder.path(), 12);
}

TEST(PrepareResume, FoldersAndPackedPicturesAreTheSame) {
  const TempFolder folder;
  RawSet(20, 40).write_tars(folder / "in");
  expect_same_when_killed({"prepare", "folder", "--input", "in", "--output", "out"}, folder.path(),
                          200);
  fs::rename(folder / "out", folder / "folder");
  expect_same_when_killed({"prepare", "pack", "--input", "folder", "--output", "out"},
                          folder.path(), 200);
}

// A tar of tars made of ImageNet's own pictures.
TEST(PrepareResume, RealPicturesAreTheSame) {
  const auto pictures = shared_data("imagenet/sample100");
  if (!pictures) GTEST_SKIP() << "no shared data";
  RawSet set(0, 0);
  for (const auto& entry : fs::directory_iterator(*pictures)) {
    const std::string name = entry.path().filename();
    set.train.push_back({name.substr(0, 9), name, read_file(entry.path(), Fault::bug)});
  }
  const TempFolder folder;
  set.write_tars(folder / "in");
  fs::remove(folder / "in/ILSVRC2012_img_val.tar");
  expect_same_when_killed(
      {"prepare", "imagenet", "--input", "in", "--output", "out", "--train-shards", "16"},
      folder.path(), 4);
}

}  // namespace
}  // namespace convoy::test
