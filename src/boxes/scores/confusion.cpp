#include "boxes/scores/confusion.h"

#include <algorithm>
#include <functional>

#include "base/error.h"

namespace convoy {
namespace {

double common(const CocoTruth& a, const CocoDetection& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  return std::max(width, 0.0) * std::max(height, 0.0);
}

double overlap(const CocoTruth& a, const CocoDetection& b) {
  const double both = common(a, b);
  const double any = a.width * a.height + b.width * b.height - both;
  return any > 0 ? both / any : 0;
}

struct Pair {
  size_t truth, found;
  double overlap;
};

}  // namespace

ConfusionMatrix::ConfusionMatrix(std::span<const ScoredPicture> pictures, int classes,
                                 double least_score, double least_overlap)
    : classes_(classes), counts_(static_cast<size_t>((classes + 1) * (classes + 1))) {
  for (const ScoredPicture& picture : pictures) add(picture, least_score, least_overlap);
}

void ConfusionMatrix::add(const ScoredPicture& picture, double least_score, double least_overlap) {
  std::vector<CocoTruth> crowds, truths;
  for (const CocoTruth& truth : picture.truths) (truth.crowd ? crowds : truths).push_back(truth);
  std::vector<CocoDetection> found;
  for (const CocoDetection& one : picture.found) {
    if (one.score >= least_score) found.push_back(one);
  }
  std::vector<Pair> pairs;
  for (size_t t = 0; t < truths.size(); ++t) {
    for (size_t f = 0; f < found.size(); ++f) {
      const double both = overlap(truths[t], found[f]);
      if (both > least_overlap) pairs.push_back({t, f, both});
    }
  }
  std::ranges::stable_sort(pairs, std::greater<>(), &Pair::overlap);
  std::vector<bool> has_detection(truths.size()), has_object(found.size());
  const auto at = [&](int one, int other) -> int64_t& {
    return counts_[static_cast<size_t>(one * (classes_ + 1) + other)];
  };
  for (const Pair& pair : pairs) {
    if (has_detection[pair.truth] || has_object[pair.found]) continue;
    has_detection[pair.truth] = has_object[pair.found] = true;
    ++at(found[pair.found].category, truths[pair.truth].category);
  }
  for (size_t t = 0; t < truths.size(); ++t) {
    if (!has_detection[t]) ++at(classes_, truths[t].category);
  }
  for (size_t f = 0; f < found.size(); ++f) {
    const CocoDetection& one = found[f];
    const bool in_crowd = std::ranges::any_of(crowds, [&](const CocoTruth& crowd) {
      return common(crowd, one) > least_overlap * one.width * one.height;
    });
    if (!has_object[f] && !in_crowd) ++at(one.category, classes_);
  }
}

int64_t ConfusionMatrix::missed() const {
  int64_t all = 0;
  for (int truth = 0; truth < classes_; ++truth) all += count(classes_, truth);
  return all;
}

int64_t ConfusionMatrix::false_alarms() const {
  int64_t all = 0;
  for (int found = 0; found < classes_; ++found) all += count(found, classes_);
  return all;
}

int64_t ConfusionMatrix::mistakes() const {
  int64_t all = 0;
  for (int found = 0; found <= classes_; ++found) {
    for (int truth = 0; truth <= classes_; ++truth) all += found == truth ? 0 : count(found, truth);
  }
  return all;
}

double ConfusionMatrix::share(int found, int truth) const {
  int64_t all = 0;
  for (int other = 0; other <= classes_; ++other) all += count(other, truth);
  return all ? static_cast<double>(count(found, truth)) / static_cast<double>(all) : 0;
}

}  // namespace convoy
