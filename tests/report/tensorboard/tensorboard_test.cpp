// The event files of TensorBoard, and the listener that is spared when its files cannot be written.
#include "report/tensorboard/tensorboard.h"

#include <gtest/gtest.h>

#include "pictures/png.h"
#include "report/spare_listener.h"
#include "report/tensorboard/precision_rows.h"
#include "support/allocations.h"
#include "support/event_files.h"
#include "support/label_metrics.h"
#include "support/run_parts.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

TrainProgress progress(int64_t step) {
  return {.epoch = static_cast<double>(step) / 100,
          .step = step,
          .samples = step * 128,
          .loss = 2.5 / static_cast<double>(step),
          .lr = 0.1,
          .images_per_s = 256,
          .data_wait_s = 0.25,
          .rss_bytes = 3'000'000'000,
          .metric = label_metrics(0, 12.5, 0)[1],
          .total_steps = 1000,
          .steps_per_epoch = 100,
          .record = step % 10 == 0};
}

Pixels square(uint8_t grey) { return {{0, 0, 4, 4}, std::vector<uint8_t>(64, grey)}; }

EvalDone evaluation(int64_t step) {
  const SampleResults each{{{0, 0, 0, 0.9, 0.1}, {1, 1, 0, 0.6, 1.2}, {2, 1, 1, 0.5, 0.7}},
                           {"cat", "dog"}};
  return {.epoch = 1,
          .step = step,
          .metrics = label_metrics(0.3, 91.5, 99.1, 915, 991),
          .total = 1000,
          .seconds = 1.5,
          .each = std::make_shared<const SampleResults>(each)};
}

TensorboardSpec spec_in(const fs::path& folder) {
  return {folder / "tb", "| lr | 0.1 |", {{"lr", 0.1}, {"nesterov", true}, {"model", "m"}}};
}

TEST(Tensorboard, HasTheTagsOfTheContract) {
  const TempFolder folder;
  {
    const auto listener = tensorboard_listener(spec_in(folder.path()));
    listener->on(RunStart{.model = "m"});
    listener->on(PicturesShown{"train/first_batch", 0, {{square(9), "cat"}, {square(99), "dog"}}});
    for (int64_t step = 1; step <= 20; ++step) listener->on(progress(step));
    listener->on(evaluation(20));
    listener->on(HistogramShown{"weights/fc.weight", 20,
                                histogram_of(std::vector<float>{-1, 0, 0.5f, 0.5f, 1e30f})});
    listener->on(RunEnd{.step = 20, .exit = 0});
  }
  const SeenEvents seen = events_in(folder / "tb");
  ASSERT_EQ(seen.files.size(), 1);
  EXPECT_TRUE(is_event_file(seen.files[0]));
  EXPECT_EQ(seen.session_starts, std::vector<int64_t>{0});
  using Line = std::map<int64_t, double>;
  EXPECT_EQ(seen.line("train/loss"), (Line{{10, 0.25}, {20, 0.125}}));
  EXPECT_EQ(seen.line("throughput/images_per_s"), (Line{{10, 256}, {20, 256}}));
  EXPECT_EQ(seen.line("time/step"), (Line{{10, 0.5}, {20, 0.5}}));
  EXPECT_EQ(seen.line("time/data"), (Line{{10, 0.25}, {20, 0.25}}));
  EXPECT_EQ(seen.line("memory/rss_gb"), (Line{{10, 3}, {20, 3}}));
  EXPECT_EQ(seen.line("train/top1"), (Line{{10, 12.5}, {20, 12.5}}));
  EXPECT_EQ(seen.line("val/top1"), (Line{{20, 91.5}}));
  EXPECT_FLOAT_EQ(static_cast<float>(seen.line("val/loss").at(20)), 0.3f);
  EXPECT_FLOAT_EQ(static_cast<float>(seen.line("lr").at(10)), 0.1f);
  EXPECT_TRUE(seen.has("val/top5") && seen.has("epoch"));
  EXPECT_EQ(seen.only("recipe").kind, "text");
  EXPECT_EQ(seen.only("recipe").content, "| lr | 0.1 |");
  EXPECT_EQ(seen.only("weights/fc.weight").number, 5);
  EXPECT_TRUE(looks_like_png(seen.only("train/first_batch").content));
  EXPECT_EQ(seen.only("pr_curves/all").floats.size(), 6 * precision_thresholds);
  EXPECT_TRUE(seen.has("pr_curves/cat") && seen.has("pr_curves/dog"));
  // {3: {1: {1: "lr", 2: {2: 0.1}} ...}}
  const std::string& start = seen.only("_hparams_/session_start_info").content;
  EXPECT_NE(start.find(std::string("\n\x02lr\x12\x09\x11\x9a\x99\x99\x99\x99\x99\xb9\x3f", 15)),
            std::string::npos);
  EXPECT_NE(start.find("\n\x08nesterov\x12\x02\x20\x01"), std::string::npos);
  EXPECT_NE(start.find("\n\x05model\x12\x03\x1a\x01m"), std::string::npos);
  for (const SeenValue& value : seen.values) {
    const bool is_old =
        value.kind == "scalar" || value.kind == "picture" || value.kind == "histogram";
    EXPECT_EQ(value.has_tensor, !is_old) << value.tag;
  }
  const std::string end = seen.only("_hparams_/session_end_info").content;
  EXPECT_EQ(end.substr(2, 2), "\x08\x01") << "success";
}

// Two cats, of which one is found; a dog that is not found, and one where there is none.
EvalDone evaluation_of_objects(int64_t step) {
  const ScoredPicture picture{
      .image = 7,
      .truths = {{0, 0, 10, 10, 100, 0}, {50, 0, 10, 10, 100, 0}, {0, 50, 10, 10, 100, 1}},
      .found = {{0, 0, 10, 10, 0.9, 0}, {80, 80, 10, 10, 0.6, 1}}};
  ObjectResults results{.pictures = {picture}, .curves = {}, .classes = {"cat", "dog", "bird"}};
  results.curves = confidence_curves(results.pictures, 3);
  EvalDone done = evaluation(step);
  done.each = nullptr;
  done.objects = std::make_shared<const ObjectResults>(std::move(results));
  return done;
}

TEST(Tensorboard, HasThePrecisionCurvesOfADetector) {
  const TempFolder folder;
  {
    const auto listener = tensorboard_listener(spec_in(folder.path()));
    listener->on(RunStart{.model = "m"});
    listener->on(evaluation_of_objects(20));
  }
  const SeenEvents seen = events_in(folder / "tb");
  EXPECT_TRUE(seen.has("pr_curves/all") && seen.has("pr_curves/dog"));
  EXPECT_FALSE(seen.has("pr_curves/bird")) << "there is none";
  const std::vector<float>& cats = seen.only("pr_curves/cat").floats;
  ASSERT_EQ(cats.size(), 6 * precision_thresholds);
  const auto at = [&](const std::vector<float>& rows, int row, int threshold) {
    return rows[static_cast<size_t>(row * precision_thresholds + threshold)];
  };
  // True and false positives, true and false negatives, precision, recall.
  const std::array<float, 6> found{1, 0, 0, 1, 1, 0.5f}, none{0, 0, 0, 2, 1, 0};
  const std::vector<float>& dogs = seen.only("pr_curves/dog").floats;
  for (int row = 0; row < 6; ++row) {
    EXPECT_FLOAT_EQ(at(cats, row, 90), found[static_cast<size_t>(row)]) << row;
    EXPECT_FLOAT_EQ(at(cats, row, 91), none[static_cast<size_t>(row)]) << row;
  }
  EXPECT_EQ(at(dogs, 4, 60), 0);
  EXPECT_EQ(at(dogs, 4, 61), 1);
  EXPECT_EQ(at(dogs, 3, 0), 1);
}

TEST(Tensorboard, NamesMetricsOfDetectionAsItsReadersDo) {
  EXPECT_EQ(evaluation_tag("mAP", false), "metrics/mAP50-95");
  EXPECT_EQ(evaluation_tag("mAP50", false), "metrics/mAP50");
  EXPECT_EQ(evaluation_tag("mAP75", true), "metrics_ema/mAP75");
  EXPECT_EQ(evaluation_tag("top1", true), "val_ema/top1");
}

TEST(Tensorboard, AResumedProcessWritesItsOwnFileFromItsFirstStepOn) {
  const TempFolder folder;
  tensorboard_listener(spec_in(folder.path()))->on(RunStart{.model = "m"});
  const auto resumed = tensorboard_listener(spec_in(folder.path()));
  resumed->on(Resumed{.step = 20, .path = "checkpoints/step-0000020"});
  resumed->on(progress(30));
  const SeenEvents seen = events_in(folder / "tb");
  EXPECT_EQ(seen.files.size(), 2);
  EXPECT_EQ(seen.session_starts, (std::vector<int64_t>{0, 21}));
  EXPECT_EQ(seen.line("train/loss").size(), 1);
}

TEST(Tensorboard, StepsAllocateNothing) {
  const TempFolder folder;
  const auto listener = tensorboard_listener(spec_in(folder.path()));
  listener->on(RunStart{.model = "m"});
  listener->on(RunEvent(progress(10)));
  std::vector<RunEvent> steps;
  for (int64_t step = 11; step <= 40; ++step) steps.emplace_back(progress(step));
  const AllocationCounter counter;
  for (const RunEvent& step : steps) listener->on(step);
  EXPECT_EQ(counter.so_far(), Allocations{});
}

// Counted by hand.
TEST(PrecisionRows, CountWhatIsFoundAtEachThreshold) {
  const std::vector<SampleResult> all{
      {0, 0, 0, 0.9, 0}, {1, 1, 0, 0.6, 0}, {2, 1, 1, 0.5, 0}, {3, 2, 1, 1.0, 0}};
  const auto at = [](const std::vector<float>& rows, int row, int threshold) {
    return rows[static_cast<size_t>(row * precision_thresholds + threshold)];
  };
  const std::vector<float> rows = precision_rows(all, -1);
  EXPECT_EQ(at(rows, 0, 0), 2);
  EXPECT_EQ(at(rows, 1, 0), 2);
  EXPECT_EQ(at(rows, 3, 0), 2);
  EXPECT_EQ(at(rows, 4, 0), 0.5f);
  EXPECT_EQ(at(rows, 5, 0), 0.5f);
  EXPECT_EQ(at(rows, 0, 90), 1);
  EXPECT_EQ(at(rows, 1, 90), 1);
  EXPECT_EQ(at(rows, 0, 91), 0);
  EXPECT_EQ(at(rows, 1, 100), 1);
  const std::vector<float> dogs = precision_rows(all, 1);
  EXPECT_EQ(at(dogs, 0, 0), 1);
  EXPECT_EQ(at(dogs, 1, 0), 1);
  EXPECT_EQ(at(dogs, 2, 0), 1);
  EXPECT_EQ(at(dogs, 3, 0), 1);
  EXPECT_EQ(at(dogs, 0, 51), 0);
  EXPECT_EQ(at(dogs, 2, 51), 1);
}

TEST(SpareListener, EndsWithAWarningAndTheRunGoesOn) {
  const TempFolder folder;
  write_atomically(folder / "tb", "a file where the folder is wanted", Fault::bug);
  Heard heard;
  const auto spare =
      spare_listener(tensorboard_listener(spec_in(folder.path())), "The files", heard);
  spare->on(RunStart{.model = "m"});
  spare->on(progress(10));
  spare->flush();
  const std::vector<Warning> warnings = heard.of<Warning>();
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_TRUE(warnings[0].text.starts_with("The files end here: ")) << warnings[0].text;
}

}  // namespace
}  // namespace convoy::test
