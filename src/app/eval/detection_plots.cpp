#include "app/eval/detection_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/eval/detection_pages.h"
#include "base/show.h"
#include "base/text/text.h"
#include "boxes/scores/confusion.h"
#include "pictures/png.h"
#include "plot/matrix.h"
#include "plot/plot.h"

namespace convoy {
namespace {

constexpr size_t most_lines = 10;  // of classes in a plot; of more only the mean is drawn
constexpr int most_matrix = 100;   // classes

constexpr std::array<Ink, most_lines> inks{{{31, 95, 191},
                                            {224, 122, 16},
                                            {38, 140, 60},
                                            {200, 40, 45},
                                            {130, 80, 180},
                                            {140, 86, 75},
                                            {220, 110, 180},
                                            {110, 110, 110},
                                            {170, 170, 30},
                                            {30, 170, 190}}};
constexpr Ink black{20, 20, 24};

struct Curve {
  const char* file;
  const char* x;
  const char* y;
  std::string title;
  std::vector<double> at;
};

// One line per class that has objects, and the mean. `values(class)`: of the mean for -1.
template <class Values>
void write_curve(const fs::path& folder, const DetectionSummary& summary, const Curve& curve,
                 const Values& values) {
  Panel panel{.x = {.label = curve.x, .covers = {0, 1}},
              .y = {.label = curve.y, .covers = {0, 1}},
              .series = {},
              .marks = {}};
  std::vector<size_t> shown;
  for (size_t i = 0; i < summary.classes.size(); ++i) {
    if (summary.curves.classes[i].objects > 0) shown.push_back(i);
  }
  if (shown.size() <= most_lines) {
    for (size_t line = 0; line < shown.size(); ++line) {
      panel.series.push_back({summary.classes[shown[line]], inks[line], curve.at,
                              values(static_cast<int>(shown[line])), 1.5});
    }
  }
  panel.series.push_back({"mean", black, curve.at, values(-1), 3});
  const Plot plot{.title = curve.title, .panels = {std::move(panel)}, .width = 1200, .height = 700};
  write_atomically(folder / curve.file, encode_png(draw(plot)), Fault::usage);
}

void write_precision_recall(const fs::path& folder, const DetectionSummary& summary) {
  Curve curve{.file = "PR_curve.png",
              .x = "recall",
              .y = "precision",
              .title = fmt::format("mAP50 {:.3f}", summary.score[CocoNumber::ap50]),
              .at = {}};
  for (int i = 0; i < coco_recalls; ++i) curve.at.push_back(coco_recall(i));
  std::vector<double> mean(coco_recalls);
  double classes = 0;
  for (size_t i = 0; i < summary.classes.size(); ++i) {
    if (summary.curves.classes[i].objects == 0) continue;
    ++classes;
    const auto one = summary.score.precision(static_cast<int>(i), 0);
    for (size_t k = 0; k < mean.size(); ++k) mean[k] += one[k];
  }
  for (double& value : mean) value /= classes;
  write_curve(folder, summary, curve, [&](int label) {
    if (label < 0) return mean;
    const auto one = summary.score.precision(label, 0);
    return std::vector<double>(one.begin(), one.end());
  });
}

void write_confidence(const fs::path& folder, const DetectionSummary& summary) {
  std::vector<double> scores;
  for (int i = 0; i < confidence_steps; ++i) scores.push_back(confidence(i));
  const auto best = static_cast<size_t>(summary.curves.best);
  const auto write = [&](const char* file, const char* what,
                         std::vector<double> ConfidenceCurve::*list) {
    const std::string title =
        fmt::format("mean {} {:.3f} at a least score of {:.3f}", what,
                    (summary.curves.mean.*list)[best], confidence(summary.curves.best));
    write_curve(folder, summary,
                {.file = file, .x = "least score", .y = what, .title = title, .at = scores},
                [&](int label) {
                  return label < 0 ? summary.curves.mean.*list
                                   : summary.curves.classes[static_cast<size_t>(label)].*list;
                });
  };
  write("P_curve.png", "precision", &ConfidenceCurve::precision);
  write("R_curve.png", "recall", &ConfidenceCurve::recall);
  write("F1_curve.png", "F1", &ConfidenceCurve::f1);
}

void write_confusion(const fs::path& folder, const DetectionSummary& summary) {
  const int classes = static_cast<int>(summary.classes.size());
  if (classes > most_matrix) return;
  const ConfusionMatrix matrix(summary.pictures, classes);
  std::vector<std::string> names = summary.classes;
  names.emplace_back("background");
  MatrixPlot plot{.title = "Detections with a score of 0.25 or more",
                  .row_title = "down: what was found",
                  .column_title = "across: what it is; the colour is the share of the column",
                  .rows = names,
                  .columns = names,
                  .shares = {},
                  .texts = {}};
  for (int row = 0; row <= classes; ++row) {
    for (int column = 0; column <= classes; ++column) {
      plot.shares.push_back(matrix.share(row, column));
      const int64_t count = matrix.count(row, column);
      plot.texts.push_back(count ? std::to_string(count) : "");
    }
  }
  write_atomically(folder / "confusion_matrix.png", encode_png(draw(plot)), Fault::usage);
}

std::string shown_number(double number) { return number < 0 ? "-" : fmt::format("{:.4f}", number); }

}  // namespace

DetectionSummary::DetectionSummary(const DetectionResults& results,
                                   const std::vector<std::string>& names)
    : ObjectResults(*results.objects(names)), score(results.whole_score()) {}

std::string DetectionSummary::table() const {
  std::string text = fmt::format("{:<24} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8}\n", "class",
                                 "pictures", "objects", "P", "R", "mAP50", "mAP");
  const auto best = static_cast<size_t>(curves.best);
  const auto add = [&](const std::string& name, const ConfidenceCurve& curve, double ap50,
                       double ap) {
    const bool known = curve.objects > 0;
    text +=
        shown("{:<24} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8}\n", name, with_commas(curve.pictures),
              with_commas(curve.objects), shown_number(known ? curve.precision[best] : -1),
              shown_number(known ? curve.recall[best] : -1), shown_number(ap50), shown_number(ap));
  };
  add("all", curves.mean, score[CocoNumber::ap50], score[CocoNumber::ap]);
  for (size_t i = 0; i < classes.size(); ++i) {
    const CocoCategoryScore& own = score.categories[i];
    if (own.objects + own.detections > 0) add(classes[i], curves.classes[i], own.ap50, own.ap);
  }
  return text;
}

void write_detection_plots(const fs::path& folder, const DetectionSummary& summary,
                           const Dataset& data) {
  make_folders(folder, Fault::usage);
  write_atomically(folder / "classes.txt", summary.table(), Fault::usage);
  write_detection_pages(folder, summary, data);
  if (summary.curves.mean.objects == 0) return;
  write_precision_recall(folder, summary);
  write_confidence(folder, summary);
  write_confusion(folder, summary);
}

}  // namespace convoy
