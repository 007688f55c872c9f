#include "report/results_csv.h"

#include <fmt/format.h>

#include <array>

#include "base/files/append_file.h"

namespace convoy {
namespace {

// Their column, and our metric of the training or of the evaluation.
struct Column {
  const char* name;
  bool of_training;
  const char* metric;
};
constexpr std::array<Column, 8> columns{{{"train/box_loss", true, "box_loss"},
                                         {"train/cls_loss", true, "class_loss"},
                                         {"metrics/precision(B)", false, "precision"},
                                         {"metrics/recall(B)", false, "recall"},
                                         {"metrics/mAP50(B)", false, "mAP50"},
                                         {"metrics/mAP50-95(B)", false, "mAP"},
                                         {"val/box_loss", false, "box_loss"},
                                         {"val/cls_loss", false, "class_loss"}}};

class ResultsCsv : public Listener {
 public:
  explicit ResultsCsv(const fs::path& path) : file_(path, Fault::checkpoint) { head(); }

  void on(const RunEvent& event) override {
    if (const auto* epoch = std::get_if<EpochDone>(&event)) {
      head();
      file_.append(results_line(*epoch) + "\n");
    }
  }

 private:
  // Writes the header, also if another process truncated the file.
  void head() {
    if (file_.size() == 0) file_.append(results_header() + "\n");
  }

  AppendFile file_;
};

}  // namespace

std::string results_header() {
  std::string text = "epoch,time";
  for (const Column& column : columns) text += fmt::format(",{}", column.name);
  return text + ",lr/pg0";
}

std::string results_line(const EpochDone& epoch) {
  std::string text = fmt::format("{},{:.3f}", epoch.epoch, epoch.seconds);
  for (const Column& column : columns) {
    const Metric* metric =
        find_metric(column.of_training ? epoch.train : epoch.eval, column.metric);
    text += metric ? fmt::format(",{}", metric->value) : ",";
  }
  return text + fmt::format(",{}", epoch.lr);
}

std::unique_ptr<Listener> results_csv_listener(const fs::path& path) {
  return std::make_unique<ResultsCsv>(path);
}

}  // namespace convoy
