// `convoy eval --all`: every checkpoint of a run as the run itself evaluated it.

#include <gtest/gtest.h>

#include "support/run_files.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::tiny;
using test::TinyRun;

Finished eval_all(const TinyRun& run, const Arguments& more) {
  return test::run_convoy(joined({"eval", "--checkpoint", "runs/a", "--all"}, more), run.folder());
}

TEST(EvalAllRun, RepeatsTheEvaluationsOfTheRun) {
  const TinyRun run(tiny({"--epochs", "3", "--checkpoint-keep", "9", "--ema-decay", "0.9"}));
  run.whole();
  for (const bool ema : {false, true}) {
    std::vector<Json> during;
    for (const Json& event : test::events(run.dir(), "eval")) {
      if (event.at("ema") == ema) during.push_back(event);
    }
    ASSERT_EQ(during.size(), 3u);
    const Arguments kind{"--weights", ema ? "ema" : "model"};
    const Finished json = eval_all(run, joined(kind, {"--json"}));
    EXPECT_EQ(json.code, 0) << json.err;
    const Json result = Json::parse(json.out);
    ASSERT_EQ(result.at("checkpoints").size(), 3u);
    double best = -1;
    std::string best_name;
    for (size_t i = 0; i < 3; ++i) {
      const Json& row = result.at("checkpoints")[i];
      for (const char* key :
           {"step", "epoch", "top1", "top5", "correct", "correct5", "total", "loss"}) {
        EXPECT_EQ(row.at(key).dump(), during[i].at(key).dump()) << key;
      }
      EXPECT_EQ(row.at("file"), fmt::format("checkpoints/step-{:07}", 16 * (i + 1)));
      if (row.at("top1") > best) {
        best = row.at("top1");
        best_name = row.at("file");
      }
    }
    const auto& best_row = *std::ranges::find_if(result.at("checkpoints"), [&](const Json& row) {
      return row.at("file") == result.at("best");
    });
    EXPECT_EQ(best_row.at("top1"), best);

    const Finished text = eval_all(run, kind);
    const std::vector<std::string> lines = test::lines_of(text.out);
    ASSERT_EQ(lines.size(), 5u) << text.out;
    EXPECT_NE(lines[1].find("checkpoints/step-0000016"), std::string::npos);
    EXPECT_TRUE(lines[4].starts_with("best: " + result.at("best").get<std::string>())) << lines[4];
  }
}

TEST(EvalAllRun, LeavesOutWhatIsDamagedAndSaysSo) {
  const TinyRun run(tiny({"--epochs", "2"}));
  run.whole();
  const fs::path model = run.dir() / "checkpoints/step-0000016/model.safetensors";
  std::string bytes = read_file(model, Fault::bug);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  test::write_bytes(model, bytes);
  // Belongs to no checkpoint: in weights/, but no average.
  test::write_bytes(run.dir() / "weights/stranger.safetensors",
                    read_file(run.dir() / "weights/last.safetensors", Fault::bug));
  const Finished end = eval_all(run, {"--json"});
  EXPECT_EQ(end.code, 4);
  ASSERT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
  EXPECT_NE(end.err.find("step-0000016"), std::string::npos) << end.err;
  EXPECT_NE(end.err.find("damaged"), std::string::npos) << end.err;
  const Json rows = Json::parse(end.out).at("checkpoints");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("step"), 32);

  // One alone is refused.
  const Finished alone =
      test::run_convoy({"eval", "--checkpoint", "runs/a/checkpoints/step-0000016"}, run.folder());
  EXPECT_EQ(alone.code, 4);
  EXPECT_NE(alone.err.find("damaged"), std::string::npos) << alone.err;
  const Finished file = test::run_convoy(
      {"eval", "--all", "--checkpoint", "runs/a/weights/last.safetensors"}, run.folder());
  EXPECT_EQ(file.code, 4);
  EXPECT_NE(file.err.find("not a run directory"), std::string::npos) << file.err;
}

}  // namespace
}  // namespace convoy
