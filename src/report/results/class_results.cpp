#include "report/results/class_results.h"

#include <algorithm>
#include <cmath>

namespace convoy {
namespace {

constexpr size_t bins = 10, most_confusions = 20;
constexpr int32_t most_classes = 1 << 14;  // of a file with other labels; a matrix is its square

double ratio(int64_t part, int64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

bool is_sound(const SampleResult& one) {
  const auto is_label = [](int32_t label) { return label >= 0 && label < most_classes; };
  return is_label(one.truth) && is_label(one.predicted) && one.confidence >= 0 &&
         one.confidence <= 1;
}

}  // namespace

double ClassRow::precision() const { return ratio(right, predicted); }
double ClassRow::recall() const { return ratio(right, samples); }
double ClassRow::f1() const { return ratio(2 * right, samples + predicted); }

ClassResults class_results(const SampleResults& results) {
  ClassResults all;
  size_t count = std::min<size_t>(results.classes.size(), most_classes);
  for (const SampleResult& one : results.all) {
    if (!is_sound(one)) continue;
    count = std::max<size_t>(count, static_cast<size_t>(std::max(one.truth, one.predicted)) + 1);
  }
  for (size_t i = 0; i < count; ++i) {
    const bool has_name = i < results.classes.size() && !results.classes[i].empty();
    all.classes.push_back({has_name ? results.classes[i] : std::to_string(i)});
  }
  all.matrix.resize(count * count);
  all.bins.resize(bins);
  for (const SampleResult& one : results.all) {
    if (!is_sound(one)) continue;
    const auto truth = static_cast<size_t>(one.truth), found = static_cast<size_t>(one.predicted);
    ++all.samples;
    ++all.classes[truth].samples;
    ++all.classes[found].predicted;
    ++all.matrix[truth * count + found];
    CalibrationBin& bin =
        all.bins[std::min(bins - 1, static_cast<size_t>(one.confidence * double{bins}))];
    ++bin.samples;
    bin.confidence += one.confidence;
    if (!one.is_right()) continue;
    ++all.right;
    ++all.classes[truth].right;
    ++bin.right;
  }
  for (const CalibrationBin& bin : all.bins) {
    all.calibration_error += std::abs(bin.confidence - static_cast<double>(bin.right));
  }
  if (all.samples) all.calibration_error /= static_cast<double>(all.samples);
  for (size_t i = 0; i < all.matrix.size(); ++i) {
    const size_t truth = i / count, found = i % count;
    if (truth == found || all.matrix[i] == 0) continue;
    all.confusions.push_back(
        {static_cast<int32_t>(truth), static_cast<int32_t>(found), all.matrix[i]});
  }
  std::ranges::stable_sort(all.confusions, std::greater(), &Confusion::samples);
  if (all.confusions.size() > most_confusions) all.confusions.resize(most_confusions);
  return all;
}

}  // namespace convoy
