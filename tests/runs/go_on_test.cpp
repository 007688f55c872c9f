// A run that goes on under other circumstances: data that were moved, another working folder,
// pictures that came or went, a longer run.

#include <gtest/gtest.h>

#include "support/run_files.h"
#include "support/tiny_pictures.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::run_convoy;
using test::TempFolder;
using test::TinyRun;

void write_photos(const fs::path& folder) {
  for (const char* split : {"train", "val"}) {
    for (int n = 0; n < 12; ++n) {
      const fs::path place = folder / split / (n % 2 ? "ant" : "bee");
      fs::create_directories(place);
      write_atomically(place / (std::to_string(n) + ".jpg"), test::tiny_jpeg(n), Fault::bug);
    }
  }
}

// A run on pictures with a checkpoint at every step, as a kill after its second step leaves it.
class GoOnRun : public testing::Test {
 protected:
  void SetUp() override {
    write_photos(here / "photos");
    const Finished end = run({"train", "--data-dir", "photos", "--model", "cifar_resnet8",
                              "--image-size", "32", "--batch-size", "4", "--epochs", "1",
                              "--checkpoint-steps", "1", "--name", "a", "--quiet"});
    ASSERT_EQ(end.code, 0) << end.err;
    hash = test::weights_hash_of(dir());
    fs::remove_all(dir() / "checkpoints/step-0000003");
    fs::remove(dir() / "weights/last.safetensors");
    fs::resize_file(dir() / "metrics.jsonl", fs::file_size(dir() / "metrics.jsonl") - 1);
  }

  fs::path dir() const { return here / "runs/a"; }
  Finished run(const Arguments& arguments) { return run_convoy(arguments, here.path()); }
  Finished resume(const Arguments& more = {}) { return run(joined({"resume", "runs/a"}, more)); }
  void expect_refused(const Finished& end, int code, const std::vector<std::string>& parts) {
    EXPECT_EQ(end.code, code) << end.err;
    EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
    for (const std::string& part : parts) {
      EXPECT_NE(end.err.find(part), std::string::npos) << part << " in " << end.err;
    }
  }

  TempFolder here;
  std::string hash;
};

TEST_F(GoOnRun, MovedDataAreFoundAndRemembered) {
  fs::rename(here / "photos", here / "elsewhere");
  EXPECT_EQ(resume({"--quiet"}).code, 3);
  expect_refused(resume({"--quiet", "--data-dir", "nowhere"}), 3, {"nowhere"});
  const Finished end = resume({"--quiet", "--data-dir", "elsewhere"});
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(test::weights_hash_of(dir()), hash);
  // Nothing more needs to be said.
  const Finished eval = run({"eval", "--checkpoint", "runs/a", "--json"});
  EXPECT_EQ(eval.code, 0) << eval.err;
}

TEST_F(GoOnRun, AnotherWorkingFolderIsNoTrouble) {
  fs::create_directories(here / "deep/er");
  const Finished end = run_convoy({"resume", dir().string(), "--quiet"}, here / "deep/er");
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(test::weights_hash_of(dir()), hash);
}

TEST_F(GoOnRun, PicturesThatCameOrWentAreNamed) {
  const fs::path ant = here / "photos/train/ant/5.jpg";
  const std::string bytes = read_file(ant, Fault::bug);
  fs::remove(ant);
  expect_refused(resume({"--quiet"}), 3, {"1 of the 24 pictures", "train/ant/5.jpg"});
  write_atomically(ant, bytes + "x", Fault::bug);
  expect_refused(resume({"--quiet"}), 3, {"another size", "train/ant/5.jpg"});
  write_atomically(ant, bytes, Fault::bug);
  write_atomically(here / "photos/val/bee/new.jpg", bytes, Fault::bug);
  expect_refused(resume({"--quiet"}), 3, {"1 picture in ", "new since", "val/bee/new.jpg"});
  fs::remove(here / "photos/val/bee/new.jpg");
  const Finished end = resume({"--quiet"});
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(test::weights_hash_of(dir()), hash);
}

TEST_F(GoOnRun, BrokenPicturesMayBeAllowedFromHereOn) {
  // As large as before, and no picture any more.
  const fs::path bee = here / "photos/val/bee/0.jpg";
  write_atomically(bee, std::string(fs::file_size(bee), 'x'), Fault::bug);
  const Finished refused = resume({"--quiet"});
  EXPECT_EQ(refused.code, 3) << refused.err;
  EXPECT_NE(refused.err.find("--max-bad"), std::string::npos) << refused.err;
  const Finished end = resume({"--quiet", "--max-bad", "2"});
  EXPECT_EQ(end.code, 0) << end.err;
}

TEST_F(GoOnRun, ALongerRunFollowsTheScheduleOfItsNewLength) {
  expect_refused(resume({"--quiet", "--epochs", "0.5"}), 2, {"can only become longer"});
  // Stopped again at once, and resumed without a word about it.
  const Finished end = resume({"--epochs", "3", "--no-quiet"});
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.out.find("the run is longer now: 3 epochs, 9 steps"), std::string::npos) << end.out;
  EXPECT_EQ(test::events(dir(), "run_end").back().at("step"), 9);
  const std::string args = read_file(dir() / "args.yml", Fault::bug);
  EXPECT_NE(args.find("epochs: 3  # resume"), std::string::npos) << args;
  const std::string longer = test::weights_hash_of(dir());
  fs::remove_all(dir() / "checkpoints/step-0000009");
  fs::resize_file(dir() / "metrics.jsonl", fs::file_size(dir() / "metrics.jsonl") - 1);
  ASSERT_EQ(resume({"--quiet"}).code, 0);
  EXPECT_EQ(test::weights_hash_of(dir()), longer);
  // A finished run may become longer too.
  ASSERT_EQ(resume({"--quiet", "--epochs", "4"}).code, 0);
  EXPECT_EQ(test::events(dir(), "run_end").back().at("step"), 12);
}

// A rate of its own for every step: the new length from the next step on, the old one before.
TEST(GoOnLonger, RatesAreThoseOfTheOldLengthAndThenOfTheNewOne) {
  const auto rates = [](const fs::path& run) {
    std::vector<double> all;
    for (const auto& event : test::events(run, "train")) all.push_back(event.at("lr"));
    return all;
  };
  const Arguments recipe = test::tiny({"--lr-schedule", "cosine", "--warmup-epochs", "0",
                                       "--checkpoint-epochs", "1", "--log-steps", "1"});
  const TinyRun two(joined(recipe, {"--epochs", "2"})), one(joined(recipe, {"--epochs", "1"}));
  two.whole();
  one.whole();
  ASSERT_EQ(run_convoy(joined(TinyRun::resume(), {"--epochs", "2"}), one.folder()).code, 0);
  const std::vector<double> whole = rates(two.dir()), longer = rates(one.dir());
  ASSERT_EQ(whole.size(), 32u);
  ASSERT_EQ(longer.size(), 32u);
  EXPECT_LT(longer[15], whole[15]) << "at the end of one epoch";
  for (size_t i = 16; i < 32; ++i) EXPECT_EQ(longer[i], whole[i]) << i;
}

TEST(GoOnBest, IsTheWholeRuns) {
  const Arguments recipe = test::tiny({"--epochs", "4", "--checkpoint-epochs", "1"});
  const TinyRun whole(recipe), pieces(recipe);
  const Finished once = run_convoy(whole.train(), whole.folder());
  ASSERT_EQ(once.code, 0) << once.err;
  ASSERT_EQ(run_convoy(joined(pieces.train(), {"--epochs", "3"}), pieces.folder()).code, 0);
  const Finished twice = run_convoy(joined(TinyRun::resume(), {"--epochs", "4"}), pieces.folder());
  ASSERT_EQ(twice.code, 0) << twice.err;
  double best = 0;
  for (const auto& event : test::events(pieces.dir(), "eval")) {
    best = std::max(best, event.at("top1").get<double>());
  }
  EXPECT_NE(twice.out.find(fmt::format("best {:.2f}%", best)), std::string::npos) << twice.out;
}

}  // namespace
}  // namespace convoy
