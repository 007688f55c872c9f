// Curves by blocks, and the box at the end of a run.
#include "report/block_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/summary_box.h"
#include "support/label_metrics.h"

namespace convoy {
namespace {

TEST(BlockCurve, DrawsTheLowestAndTheHighest) {
  EXPECT_EQ(block_curve({0, 1, 2, 3, 4, 5, 6, 7}, 8, true), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(block_curve({7, 0}, 8, true), "█▁");
  EXPECT_EQ(block_curve({3, 3, 3}, 8, true), "▁▁▁");
  EXPECT_EQ(block_curve({0, 1, 2, 3, 4}, 8, false), "_.-=^");
}

TEST(BlockCurve, AveragesWhatDoesNotFitAndLeavesOutWhatIsNoNumber) {
  EXPECT_EQ(block_curve({0, 2, 8, 8, 0, 0}, 3, false), ".^_");
  EXPECT_EQ(block_curve({NAN, 1, INFINITY, 2}, 8, false), "_^");
  EXPECT_EQ(block_curve({}, 8, true), "");
  EXPECT_EQ(block_curve({NAN}, 8, true), "");
  EXPECT_EQ(block_curve({1, 2}, 0, true), "");
}

TEST(KeptCurve, KeepsFewValuesWithTheSameMean) {
  KeptCurve curve(16);
  for (int i = 0; i < 1024; ++i) curve.add(i);
  EXPECT_LE(curve.values().size(), 32u);
  EXPECT_GE(curve.values().size(), 16u);
  double sum = 0;
  for (const double value : curve.values()) sum += value;
  EXPECT_NEAR(sum / static_cast<double>(curve.values().size()), 511.5, 1e-9);
}

// Columns on the screen.
size_t columns(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

struct Ended {
  SummaryBox box;
  PastEvals evals;

  Ended() {
    box.hear(RunStart{.model = "m", .dataset = "d", .run_dir = "runs/a b"});
    for (int step = 1; step <= 100; ++step) {
      box.hear(TrainProgress{
          .step = step, .loss = 3.0 - 0.02 * step, .images_per_s = 2000, .epoch_loss = 1.25});
    }
    for (const double top1 : {50.0, 70.0, 60.0}) {
      const EvalDone eval{
          .epoch = top1 / 10,
          .metrics = test::label_metrics(1, top1, 90, static_cast<int64_t>(10 * top1), 900),
          .total = 1000};
      box.hear(eval);
      evals.add(eval);
    }
  }
  std::string text(int width, BarStyle style) const {
    return box.text({.step = 100, .seconds = 61, .peak_rss_bytes = 3 << 20}, evals, width, style);
  }
};

TEST(SummaryBox, ShowsCurvesResultsAndTheNextCommands) {
  EXPECT_EQ(Ended().text(80, {.unicode = true}),
            "╭─────────────────────────────────────────────────────────────────────────────╮\n"
            "│ m on d                                                                      │\n"
            "│ train loss  ███▇▇▇▇▆▆▆▆▅▅▅▅▄▄▄▄▃▃▃▃▂▂▂▂▁▁▁  2.9800 → 1.2500                 │\n"
            "│ top-1       ▁█▅  60.00% (600/1000), best 70.00% in epoch 7                  │\n"
            "│ images/s    ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  2000 on average                 │\n"
            "│ steps       100 in 1:01, peak memory 3.0 MiB                                │\n"
            "│ run         runs/a b                                                        │\n"
            "│ next        convoy report 'runs/a b'                                        │\n"
            "│             convoy eval --checkpoint 'runs/a b'                             │\n"
            "│             convoy predict --checkpoint 'runs/a b' --input FILE             │\n"
            "╰─────────────────────────────────────────────────────────────────────────────╯\n");
}

// Without frames, and with what a shell takes as one line in one.
std::string joined(std::string text) {
  for (const std::string_view part : {" \\\n      ", "│", "|"}) {
    for (size_t at = text.find(part); at != text.npos; at = text.find(part)) {
      text.replace(at, part.size(), " ");
    }
  }
  return text;
}

TEST(SummaryBox, FitsEveryWidthAndCutsNothing) {
  const Ended run;
  for (const bool unicode : {false, true}) {
    for (int width = 0; width < 160; ++width) {
      std::string text = run.text(width, {.unicode = unicode});
      ASSERT_TRUE(text.ends_with('\n'));
      const std::string whole = joined(text);
      for (const char* command : {"convoy report 'runs/a b'", "convoy eval --checkpoint 'runs/a b'",
                                  "convoy predict --checkpoint 'runs/a b' --input FILE"}) {
        ASSERT_NE(whole.find(command), whole.npos) << width << ":\n" << text;
      }
      for (const char* word : {"70.00%", "MiB", "1.2500"}) {
        ASSERT_TRUE(width < 12 || whole.find(word) != whole.npos) << width << ":\n" << text;
      }
      // The longest part of a command that is not broken.
      const size_t least = columns("      --checkpoint 'runs/a b' \\");
      while (!text.empty()) {
        const size_t end = text.find('\n');
        ASSERT_LE(columns(text.substr(0, end)),
                  std::max(static_cast<size_t>(std::max(width - 1, 1)), least))
            << text;
        text.erase(0, end + 1);
      }
    }
  }
}

}  // namespace
}  // namespace convoy
