// All listeners of a run together, as rank 0 has them.

#include <gtest/gtest.h>

#include "report/console.h"
#include "report/jsonl.h"
#include "report/mllog/mllog.h"
#include "report/results/plots_listener.h"
#include "report/run_log.h"
#include "report/sessions.h"
#include "report/spare_listener.h"
#include "report/summary_csv.h"
#include "report/tensorboard/tensorboard.h"
#include "report/wandb/wandb.h"
#include "support/allocations.h"
#include "support/label_metrics.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

TrainProgress progress(int64_t step, bool record) {
  return {.epoch = static_cast<double>(step) / 1000,
          .step = step,
          .samples = step * 128,
          .loss = 2.5 / static_cast<double>(step),
          .lr = 0.1,
          .images_per_s = 256,
          .data_wait_s = 0.25,
          .rss_bytes = 3'000'000'000,
          .metric = label_metrics(0, 12.5, 0)[1],
          .total_steps = 1000,
          .steps_per_epoch = 1000,
          .record = record};
}

// A step that is not recorded (--log-steps) writes nothing and allocates nothing, whatever listens.
TEST(RunListeners, StepsBetweenRecordsAllocateNothing) {
  const TempFolder folder;
  const std::vector<MetricDef> metrics{*label_metrics(0, 0, 0)[1].def};
  Listeners all;
  size_t written = 0;
  all.add(console_listener({.quiet = false,
                            .terminal = false,
                            .style = {},
                            .write = [&](std::string_view text) { written += text.size(); },
                            .width = [] { return 80; },
                            .seconds = [] { return 1.0; }}));
  all.add(summary_csv_listener(folder / "summary.csv", metrics));
  all.add(run_log_listener(folder / "log.txt"));
  all.add(sessions_listener(folder / "sessions.jsonl"));
  all.add(spare_listener(tensorboard_listener({folder / "tb", "", {}}), "tb", all));
  all.add(spare_listener(
      wandb_listener(
          {.folder = folder / "wandb", .project = "p", .name = "n", .config = {}, .files = {}}),
      "wandb", all));
  all.add(spare_listener(plots_listener(folder / "run"), "plots", all));
  all.add(spare_listener(mllog_listener({.file = folder / "mllog.txt",
                                         .benchmark = MllogBenchmark::resnet,
                                         .org = "o",
                                         .platform = "p",
                                         .division = "closed",
                                         .options = {}}),
                         "mllog", all));
  all.add(jsonl_listener(folder / "metrics.jsonl"));
  all.on(RunStart{.model = "m", .dataset = "d"});
  all.on(progress(1, true));
  all.on(progress(2, false));
  std::vector<RunEvent> steps;
  for (int64_t step = 3; step <= 500; ++step) steps.emplace_back(progress(step, false));
  const auto bytes = [&] {
    uintmax_t sum = written;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      if (entry.is_regular_file()) sum += entry.file_size();
    }
    return sum;
  };
  const uintmax_t before = bytes();
  const AllocationCounter counter;
  for (const RunEvent& step : steps) all.on(step);
  EXPECT_EQ(counter.so_far(), Allocations{});
  EXPECT_EQ(bytes(), before);
  all.on(progress(501, true));
  EXPECT_GT(bytes(), before);
}

}  // namespace
}  // namespace convoy::test
