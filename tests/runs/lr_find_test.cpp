// `convoy lr-find` as people run it.

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

#include "base/text/text.h"
#include "pictures/png.h"
#include "support/run_files.h"

namespace convoy::test {
namespace {

const Arguments find{"lr-find",  "--find-steps", "60",       "--min-lr", "1e-4",
                     "--max-lr", "100",          "--smooth", "0.8"};

std::string text_of(const fs::path& path) { return read_file(path, Fault::bug); }

std::vector<std::vector<double>> numbers(const fs::path& csv) {
  std::vector<std::vector<double>> rows;
  const std::vector<std::string> lines = lines_of(text_of(csv));
  EXPECT_EQ(lines.at(0), "step,lr,loss,smoothed_loss");
  for (size_t i = 1; i < lines.size(); ++i) {
    rows.emplace_back();
    for (const std::string& part : split(lines[i], ',')) rows.back().push_back(std::stod(part));
  }
  return rows;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t files_in(const fs::path& folder) {
  return static_cast<size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(LrFindRun, LeavesAPictureNumbersAndALineThatTrains) {
  const TempFolder folder;
  const Finished end = run_convoy(joined(find, tiny()), folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(files_in(folder.path()), 2u);
  const std::string png = text_of(folder / "lr-find.png");
  EXPECT_EQ(inspect_png(png, "lr-find").width, 1000);
  EXPECT_EQ(inspect_png(png, "lr-find").height, 600);
  const auto rows = numbers(folder / "lr-find.csv");
  ASSERT_GT(rows.size(), 20u);
  EXPECT_DOUBLE_EQ(rows[0][1], 1e-4);
  EXPECT_NEAR(rows[59 < rows.size() ? 59 : rows.size() - 1][1],
              1e-4 * std::pow(1e6, static_cast<double>(rows.size() - 1) / 59), 1e-4);
  for (const char* part :
       {"Suggestion: ", "first reading", "second reading", "Diverged: ", "Wrote "}) {
    EXPECT_TRUE(has(end.out, part)) << end.out;
  }
  // The last line, as a shell would read it.
  Arguments again = split(lines_of(end.out).back(), ' ');
  ASSERT_GT(again.size(), 4u);
  EXPECT_EQ(again[0], "convoy");
  EXPECT_EQ(again[1], "train");
  EXPECT_EQ(again[again.size() - 2], "--lr");
  EXPECT_GT(std::stod(again.back()), 1e-4);
  EXPECT_LT(std::stod(again.back()), 100);
  again.erase(again.begin());
  const Finished train = run_convoy(joined(again, {"--max-steps", "1"}), folder.path());
  EXPECT_EQ(train.code, 0) << train.err;
  // Quiet: that line alone. The same numbers, whatever the threads.
  const Finished quiet = run_convoy(
      joined(joined(find, tiny({"--threads", "1"})), {"--quiet", "--output", "b"}), folder.path());
  EXPECT_EQ(lines_of(quiet.out).size(), 1u) << quiet.out;
  EXPECT_EQ(text_of(folder / "b/lr-find.csv"), text_of(folder / "lr-find.csv"));
}

TEST(LrFindRun, ItsStepsAreThoseOfTraining) {
  const TempFolder folder;
  const Arguments recipe = tiny({"--seed", "3", "--epoch-tail", "short", "--batch-size", "60"});
  const Arguments same{"lr-find",  "--min-lr", "0.05",         "--max-lr", "0.0500000001",
                       "--smooth", "0",        "--find-steps", "20"};
  // A rate that hardly grows may find nothing, and says so; the numbers are there.
  const Finished end = run_convoy(joined(same, recipe), folder.path());
  EXPECT_TRUE(end.code == 0 || end.code == 5) << end.err;
  const Finished train =
      run_convoy(joined({"train", "--name", "a", "--quiet", "--lr", "0.05", "--lr-schedule",
                         "constant", "--max-steps", "20", "--log-steps", "1", "--eval-epochs", "0"},
                        recipe),
                 folder.path());
  ASSERT_EQ(train.code, 0) << train.err;
  const auto rows = numbers(folder / "lr-find.csv");
  const std::vector<Json> steps = events(folder / "runs/a", "train");
  ASSERT_EQ(rows.size(), steps.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const double loss = steps[i].at("loss");
    EXPECT_NEAR(rows[i][2], loss, 1e-8 * loss) << i;
    EXPECT_NEAR(rows[i][3], loss, 1e-8 * loss) << i;
  }
}

TEST(LrFindRun, ARecipesRateAndLengthAreLeftOut) {
  const TempFolder folder;
  write_atomically(folder / "recipe.yml",
                   "lr-schedule: polynomial\nmin-lr: 0.01\nbase-lr: 0.4\nlr-batch: 256\n"
                   "warmup-epochs: 5\nepochs: 90\npatience: 3\nema-decay: 0.9\noutput: elsewhere\n"
                   "momentum: 0.5\n",
                   Fault::bug);
  const Finished end =
      run_convoy(joined(joined(find, {"--config", "recipe.yml"}), tiny()), folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(files_in(folder.path()), 3u);
  EXPECT_DOUBLE_EQ(numbers(folder / "lr-find.csv")[0][1], 1e-4);
  // The peak in the recipe's own words: it grows with the batch.
  Arguments again = split(lines_of(end.out).back(), ' ');
  EXPECT_EQ(again[again.size() - 2], "--base-lr");
  again.erase(again.begin());
  again = joined(again, {"--epochs", "1", "--warmup-epochs", "0", "--max-steps", "1"});
  const Finished train = run_convoy(again, folder.path());
  EXPECT_EQ(train.code, 0) << train.err;
}

TEST(LrFindRun, FrozenPartsStayAndTheEndIsTold) {
  const TempFolder folder;
  const Finished frozen =
      run_convoy(joined(joined(find, {"--freeze", "all-but-head"}), tiny()), folder.path());
  EXPECT_TRUE(frozen.code == 0 || frozen.code == 5) << frozen.err;
  EXPECT_TRUE(has(frozen.err, "Warning: frozen parameters keep their random values")) << frozen.err;
  const auto free = run_convoy(joined(find, tiny({"--output", "b"})), folder.path());
  EXPECT_EQ(free.code, 0) << free.err;
  const auto a = numbers(folder / "lr-find.csv"), b = numbers(folder / "b/lr-find.csv");
  EXPECT_NE(a[15][2], b[15][2]);
  // A rate that ends it early.
  const Finished wild = run_convoy(
      joined({"lr-find", "--max-lr", "1e12", "--min-lr", "1e-5", "--smooth", "0.5"}, tiny()),
      folder.path());
  EXPECT_LT(numbers(folder / "lr-find.csv").size(), 100u);
  EXPECT_TRUE(has(wild.out + wild.err, "iverged")) << wild.out << wild.err;
  // Rates that do nothing.
  const Finished still = run_convoy(
      joined({"lr-find", "--max-lr", "1e-11", "--min-lr", "1e-12"}, tiny()), folder.path());
  EXPECT_EQ(still.code, 5) << still.out;
  EXPECT_TRUE(has(still.err, "falls at no rate")) << still.err;
  EXPECT_EQ(numbers(folder / "lr-find.csv").size(), 200u);
}

TEST(LrFindRun, ASignalEndsItAfterAStep) {
  const TempFolder folder;
  Process process(
      joined({"lr-find", "--find-steps", "1000000", "--max-lr", "1e-3", "--output", "out"}, tiny()),
      folder.path());
  ASSERT_TRUE(process.until([&] { return fs::exists(folder / "out"); }));
  process.send(SIGINT);
  const Finished end = process.wait();
  EXPECT_EQ(end.code, 128 + SIGINT) << end.err;
  EXPECT_TRUE(has(end.err, "no suggestion")) << end.err;
  EXPECT_TRUE(fs::exists(folder / "out/lr-find.csv"));
  EXPECT_FALSE(has(end.out, "convoy train")) << end.out;
}

TEST(LrFindRun, WhatContradictsItIsRefused) {
  const TempFolder folder;
  const std::vector<std::pair<Arguments, std::string>> cases{
      {{"--lr-schedule", "cosine"}, "sets the rate itself"},
      {{"--lr", "0.1"}, "sets the rate itself"},
      {{"--warmup-epochs", "5"}, "sets the rate itself"},
      {{"--epochs", "3"}, "--find-steps"},
      {{"--max-steps", "3"}, "--find-steps"},
      {{"--eval-epochs", "1"}, "evaluates nothing"},
      {{"--name", "x"}, "keeps no run"},
      {{"--min-lr", "1", "--max-lr", "1"}, "not below"},
      {{"--lr-min", "2", "--lr-max", "1"}, "not below"},
      {{"--min-lr", "0"}, "at least"},
      {{"--smooth", "1"}, "between"},
      {{"--find-steps", "3"}, "at least"},
      {{"--freeze", "nothing_fits"}, "nothing_fits"},
      {{"word"}, "word"}};
  for (const auto& [arguments, part] : cases) {
    const Finished end = run_convoy(joined(joined({"lr-find"}, tiny()), arguments), folder.path());
    EXPECT_EQ(end.code, 2) << arguments[0] << end.err;
    EXPECT_EQ(lines_of(end.err).size(), 1u) << end.err;
    EXPECT_TRUE(has(end.err, part)) << end.err;
    EXPECT_TRUE(fs::is_empty(folder.path())) << arguments[0];
  }
  const Finished crowd = run_convoy_on(2, joined({"lr-find"}, tiny()), folder.path());
  EXPECT_NE(crowd.code, 0);
  EXPECT_TRUE(has(crowd.err + crowd.out, "works in one process")) << crowd.err;
}

}  // namespace
}  // namespace convoy::test
