// `convoy average` as a user meets it. That the numbers are right: tests/weights/average_test.cpp.

#include <gtest/gtest.h>

#include <cstring>

#include "support/run_files.h"
#include "support/tiny_sets.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::tiny;
using test::TinyRun;

float first_value(const SafetensorsFile& file, const char* name) {
  float value = 0;
  std::memcpy(&value, file.at(name).data.data(), sizeof value);
  return value;
}

TEST(AverageRun, AveragesTheCheckpointsOfARunAndEvalFindsTheResult) {
  const TinyRun run(tiny({"--epochs", "3", "--checkpoint-keep", "9"}));
  run.whole();
  const auto average = [&](const Arguments& more) {
    const Finished end = test::run_convoy(joined({"average", "runs/a"}, more), run.folder());
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(end.err, "");
    return test::lines_of(end.out);
  };
  const auto checkpoint = [&](int64_t step) {
    return SafetensorsFile::read(run.dir() /
                                 fmt::format("checkpoints/step-{:07}/model.safetensors", step));
  };
  const std::vector<std::string> said = average({});
  const SafetensorsFile mean =
      SafetensorsFile::read(run.dir() / "weights/average-mean.safetensors");
  EXPECT_EQ(said.back(), "weights " + weights_hash(mean.tensors()));
  double sum = 0;
  for (const int64_t step : {16, 32, 48}) {
    sum += static_cast<double>(first_value(checkpoint(step), "conv1.weight"));
  }
  EXPECT_EQ(first_value(mean, "conv1.weight"), static_cast<float>(sum / 3));

  average({"--mode", "exponential", "--decay", "0.25", "-N", "2", "--discard-last", "1",
           "--filename", "mine"});
  const SafetensorsFile mine = SafetensorsFile::read(run.dir() / "weights/mine.safetensors");
  const double v = 0.25 * static_cast<double>(first_value(checkpoint(16), "conv1.weight")) +
                   0.75 * static_cast<double>(first_value(checkpoint(32), "conv1.weight"));
  EXPECT_EQ(first_value(mine, "conv1.weight"), static_cast<float>(v));
  // What it says: the last one's words, and of what it was made.
  Metadata expected = checkpoint(32).metadata();
  const Json about = Json::parse(mine.metadata().at("convoy.average"));
  EXPECT_EQ(about.at("mode"), "exponential");
  EXPECT_EQ(about.at("decay"), 0.25);
  ASSERT_EQ(about.at("of").size(), 2u);
  EXPECT_EQ(about.at("of")[1].at("file"), "checkpoints/step-0000032");
  EXPECT_EQ(about.at("of")[1].at("weights"), weights_hash(checkpoint(32).tensors()));
  expected["convoy.average"] = mine.metadata().at("convoy.average");
  expected["convoy.weights"] = "exponential";
  expected.erase("convoy.top1");
  EXPECT_EQ(mine.metadata(), expected);

  // By files, the same bytes but for the names.
  const Finished files =
      test::run_convoy({"average", "runs/a/checkpoints/step-0000016",
                        "runs/a/checkpoints/step-0000032/model.safetensors",
                        "runs/a/weights/last.safetensors", "--output", "three.safetensors"},
                       run.folder());
  EXPECT_EQ(test::lines_of(files.out).back(), said.back()) << files.err;

  const Finished all =
      test::run_convoy({"eval", "--checkpoint", "runs/a", "--all", "--json"}, run.folder());
  EXPECT_EQ(all.code, 0) << all.err;
  const Json listed = Json::parse(all.out).at("checkpoints");
  ASSERT_EQ(listed.size(), 5u);
  EXPECT_EQ(listed[3].at("file"), "weights/average-mean.safetensors");
  EXPECT_EQ(listed[4].at("file"), "weights/mine.safetensors");
}

TEST(AverageRun, RefusesWhatCannotBeAveragedAndWritesNothing) {
  const TinyRun run(tiny({"--epochs", "2"}));
  run.whole();
  const TinyRun other(tiny({"--epochs", "1", "--model", "cifar_resnet14"}));
  other.whole();
  const std::string last = run.dir() / "weights/last.safetensors",
                    stranger = other.dir() / "weights/last.safetensors";
  const auto refused = [&](int code, const Arguments& arguments, const Arguments& words) {
    const Finished end = test::run_convoy(joined({"average"}, arguments), run.folder());
    EXPECT_EQ(end.code, code) << end.err;
    EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
    for (const std::string& word : words) {
      EXPECT_NE(end.err.find(word), std::string::npos) << word << ": " << end.err;
    }
    EXPECT_FALSE(fs::exists(run.folder() / "out.safetensors"));
    EXPECT_FALSE(fs::exists(run.dir() / "weights/average-mean.safetensors"));
  };
  const Arguments to_file{"--output", "out.safetensors"};
  refused(2, {}, {"RUN_DIR"});
  refused(2, {last, last}, {"--output"});
  refused(2, {"runs/a", "--decay", "0.5"}, {"decay", "exponential"});
  refused(2, {"runs/a", "--mode", "median"}, {"median", "exponential"});
  refused(2, {"runs/a", "-N", "3"}, {"3", "there are 2"});
  refused(2, {"runs/a", "--discard-last", "2"}, {"there are 2"});
  refused(2, {"runs/a", "--output", "out.safetensors", "--filename", "x"}, {"--filename"});
  refused(2, {"runs/a", "--filename", "../x"}, {"../x", "--output"});
  refused(2, {"runs/a", "--filename", "best"}, {"best.safetensors"});
  refused(2, {last, stranger, "--output", last}, {"last.safetensors", "--output"});
  refused(4, joined({last, stranger}, to_file), {stranger, "tensor"});
  refused(4, joined({last, "nowhere"}, to_file), {"nowhere"});
  refused(4, {"runs"}, {"run directory"});
  refused(4, {"runs/a", "--weights", "ema"}, {"ema.safetensors"});
  // Damaged where only the hash can tell.
  const fs::path model = run.dir() / "checkpoints/step-0000016/model.safetensors";
  std::string bytes = read_file(model, Fault::bug);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  test::write_bytes(model, bytes);
  refused(4, {"runs/a"}, {"step-0000016", "damaged"});
}

}  // namespace
}  // namespace convoy
