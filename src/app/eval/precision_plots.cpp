#include "app/eval/precision_plots.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text/text.h"
#include "pictures/png.h"
#include "plot/plot.h"

namespace convoy {
namespace {

struct Curve {
  std::string name;
  Ink ink;
  std::vector<int> thresholds;  // the mean of these
};

const std::array<Curve, 3>& curves() {
  static const std::array<Curve, 3> all{
      {{"IoU 0.50", plot_ink::blue, {0}},
       {"IoU 0.75", plot_ink::orange, {5}},
       {"mean of 0.50 to 0.95", plot_ink::green, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}}};
  return all;
}

// The mean over the given categories and the thresholds of the curve.
Series series_of(const CocoScore& score, const std::vector<int>& categories, const Curve& curve) {
  Series series{curve.name, curve.ink, {}, std::vector<double>(coco_recalls)};
  const auto weight = static_cast<double>(categories.size() * curve.thresholds.size());
  for (int i = 0; i < coco_recalls; ++i) series.x.push_back(coco_recall(i));
  for (const int category : categories) {
    for (const int threshold : curve.thresholds) {
      const std::span<const double> precision = score.precision(category, threshold);
      std::ranges::transform(series.y, precision, series.y.begin(),
                             [&](double sum, double p) { return sum + p / weight; });
    }
  }
  return series;
}

void write_plot(const fs::path& file, const CocoScore& score, const std::vector<int>& categories,
                std::string title) {
  Panel panel{.x = {.label = "recall", .covers = {0, 1}},
              .y = {.label = "precision", .covers = {0, 1}},
              .series = {},
              .marks = {}};
  for (const Curve& curve : curves()) panel.series.push_back(series_of(score, categories, curve));
  const Plot plot{.title = std::move(title), .panels = {std::move(panel)}};
  write_atomically(file, encode_png(draw(plot)), Fault::usage);
}

}  // namespace

std::string file_word(const std::string& name) {
  constexpr size_t most = 40;
  std::string word;
  for (const char c : name.substr(0, most)) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) && c > 0;
    word += is_plain ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '-';
  }
  return word;
}

int64_t write_precision_plots(const fs::path& folder, const CocoScore& score,
                              const std::vector<CocoCategory>& categories) {
  make_folders(folder, Fault::usage);
  std::vector<int> with_objects;
  for (size_t i = 0; i < categories.size(); ++i) {
    const CocoCategoryScore& own = score.categories[i];
    if (own.objects == 0) continue;
    with_objects.push_back(static_cast<int>(i));
    const std::string name = categories[i].name;
    const std::string file =
        fmt::format("class-{}{}{}.png", categories[i].id, name.empty() ? "" : "-", file_word(name));
    write_plot(folder / file, score, {with_objects.back()},
               fmt::format("{}: AP {:.4f}, {} objects", name.empty() ? "a class" : name, own.ap,
                           with_commas(own.objects)));
  }
  if (!with_objects.empty()) {
    write_plot(folder / "precision-recall.png", score, with_objects,
               fmt::format("mean of {} classes: AP {:.4f}, AP50 {:.4f}", with_objects.size(),
                           score[CocoNumber::ap], score[CocoNumber::ap50]));
  }
  return with_objects.empty() ? 0 : std::ssize(with_objects) + 1;
}

}  // namespace convoy
