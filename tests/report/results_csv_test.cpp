#include "report/results_csv.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"
#include "train/tasks/detection_results.h"

namespace convoy {
namespace {

EpochDone epoch(int64_t number, bool evaluates) {
  EpochDone done{.epoch = number, .train_loss = 3, .seconds = 12.3456, .lr = 0.125};
  const auto metric = [](const char* name, double value) {
    for (const MetricDef& def : detection_metrics) {
      if (def.name == name) return Metric{&def, value};
    }
    return Metric{};
  };
  done.train = {metric("loss", 3), metric("box_loss", 1), metric("class_loss", 2)};
  if (evaluates) {
    done.eval = {metric("mAP", 0.25),     metric("mAP50", 0.5),    metric("precision", 0.75),
                 metric("recall", 0.625), metric("box_loss", 1.5), metric("class_loss", 2.5)};
  }
  return done;
}

TEST(ResultsCsv, HasTheColumnsOfYolo) {
  EXPECT_EQ(results_header(),
            "epoch,time,train/box_loss,train/cls_loss,metrics/precision(B),metrics/recall(B),"
            "metrics/mAP50(B),metrics/mAP50-95(B),val/box_loss,val/cls_loss,lr/pg0");
  EXPECT_EQ(results_line(epoch(4, true)), "4,12.346,1,2,0.75,0.625,0.5,0.25,1.5,2.5,0.125");
  EXPECT_EQ(results_line(epoch(5, false)), "5,12.346,1,2,,,,,,,0.125");
}

TEST(ResultsCsv, IsContinuedByALaterSession) {
  const test::TempFolder folder;
  for (const int64_t number : {1, 2}) {
    const auto listener = results_csv_listener(folder / "results.csv");
    listener->on(epoch(number, true));
  }
  const std::string text = read_file(folder / "results.csv", Fault::data);
  EXPECT_EQ(text, results_header() + "\n" + results_line(epoch(1, true)) + "\n" +
                      results_line(epoch(2, true)) + "\n");
}

}  // namespace
}  // namespace convoy
