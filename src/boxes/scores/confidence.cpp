#include "boxes/scores/confidence.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace convoy {
namespace {

struct Judged {
  double score;
  bool right;
};

// The detections of one class that count, from all pictures.
struct OfClass {
  std::vector<Judged> judged;
  int64_t objects = 0, pictures = 0;
};

void judge(const ScoredPicture& picture, int label, OfClass& into) {
  std::vector<CocoTruth> truths;
  std::vector<CocoDetection> found;
  std::ranges::copy_if(picture.truths, std::back_inserter(truths),
                       [&](const CocoTruth& t) { return t.category == label; });
  std::ranges::copy_if(picture.found, std::back_inserter(found),
                       [&](const CocoDetection& d) { return d.category == label; });
  const int64_t objects = std::ranges::count(truths, false, &CocoTruth::crowd);
  into.objects += objects;
  into.pictures += objects > 0;
  std::ranges::stable_sort(found, std::greater<>(), &CocoDetection::score);
  if (std::ssize(found) > coco_most_detections) found.resize(coco_most_detections);
  std::vector<CocoOutcomes> outcomes(found.size());
  match_coco(truths, found, outcomes);
  for (size_t i = 0; i < found.size(); ++i) {
    const CocoOutcome& outcome = outcomes[i][0];  // of objects of all sizes, at 0.5
    if (outcome.is_ignored & 1) continue;
    into.judged.push_back({found[i].score, (outcome.is_right & 1) != 0});
  }
}

ConfidenceCurve curve_of(OfClass& all) {
  std::ranges::sort(all.judged, std::greater<>(), &Judged::score);
  ConfidenceCurve curve{
      .objects = all.objects, .pictures = all.pictures, .precision = {}, .recall = {}, .f1 = {}};
  size_t taken = 0;
  int64_t right = 0;
  for (int step = confidence_steps - 1; step >= 0; --step) {
    for (; taken < all.judged.size() && all.judged[taken].score >= confidence(step); ++taken) {
      right += all.judged[taken].right;
    }
    const auto share = [&](auto of) {
      return static_cast<double>(right) / static_cast<double>(of);
    };
    const double precision = taken ? share(taken) : 1,
                 recall = share(std::max<int64_t>(1, all.objects));
    curve.precision.push_back(precision);
    curve.recall.push_back(recall);
    curve.f1.push_back(precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0);
  }
  for (auto* list : {&curve.precision, &curve.recall, &curve.f1}) std::ranges::reverse(*list);
  return curve;
}

void add_share(const std::vector<double>& from, double weight, std::vector<double>& into) {
  into.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) into[i] += weight * from[i];
}

}  // namespace

double confidence(int at) { return at / static_cast<double>(confidence_steps - 1); }

ConfidenceCurves confidence_curves(std::span<const ScoredPicture> pictures, int classes) {
  ConfidenceCurves curves;
  int64_t with_objects = 0;
  for (int label = 0; label < classes; ++label) {
    OfClass all;
    for (const ScoredPicture& picture : pictures) judge(picture, label, all);
    curves.classes.push_back(curve_of(all));
    with_objects += all.objects > 0;
  }
  for (const ScoredPicture& picture : pictures) {
    curves.mean.pictures += std::ranges::count(picture.truths, false, &CocoTruth::crowd) > 0;
  }
  const double weight = with_objects ? 1.0 / static_cast<double>(with_objects) : 0;
  for (const ConfidenceCurve& one : curves.classes) {
    if (one.objects == 0) continue;
    curves.mean.objects += one.objects;
    add_share(one.precision, weight, curves.mean.precision);
    add_share(one.recall, weight, curves.mean.recall);
    add_share(one.f1, weight, curves.mean.f1);
  }
  const std::vector<double>& f1 = curves.mean.f1;
  if (!f1.empty()) {
    curves.best = static_cast<int>(std::ranges::max_element(f1) - f1.begin());
  }
  return curves;
}

}  // namespace convoy
