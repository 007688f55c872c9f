#include "boxes/coco_match.h"

#include <algorithm>
#include <vector>

namespace convoy {
namespace {

double overlap(const CocoDetection& d, const CocoTruth& t) {
  const double width = std::min(d.width + d.x, t.width + t.x) - std::max(d.x, t.x);
  if (width <= 0) return 0;
  const double height = std::min(d.height + d.y, t.height + t.y) - std::max(d.y, t.y);
  if (height <= 0) return 0;
  const double both = width * height, own = d.width * d.height;
  // A detection may be any part of a crowd.
  return both / (t.crowd ? own : own + t.width * t.height - both);
}

struct Candidate {
  size_t truth;
  double overlap;
};

// Detections are matched one after another, each for all ranges of areas and thresholds at once.
class Matcher {
 public:
  explicit Matcher(std::span<const CocoTruth> truths) : truths_(truths), is_taken_(truths.size()) {}

  CocoOutcomes match(const CocoDetection& detection) {
    candidates_.clear();
    for (size_t i = 0; i < truths_.size(); ++i) {
      const double here = overlap(detection, truths_[i]);
      if (here >= coco_threshold(0)) candidates_.push_back({i, here});
    }
    CocoOutcomes outcomes{};
    for (size_t area = 0; area < coco_areas; ++area) {
      const CocoAreaRange& range = coco_area_ranges()[area];
      const bool is_outside = !range.contains(detection.width * detection.height);
      for (int threshold = 0; threshold < coco_thresholds; ++threshold) {
        const auto bit = static_cast<uint16_t>(1 << threshold);
        bool is_ignored = false;
        const Candidate* found = best(area, threshold, true);
        if (!found) {
          found = best(area, threshold, false);
          is_ignored = found != nullptr;
        }
        if (found) is_taken_[found->truth][area] |= bit;
        const bool is_right = found && !truths_[found->truth].has_id_zero;
        if (is_right) outcomes[area].is_right |= bit;
        if (is_ignored || (!is_right && is_outside)) outcomes[area].is_ignored |= bit;
      }
    }
    return outcomes;
  }

 private:
  // The candidate with the greatest overlap, of equal ones the last, among those that count in the
  // range of areas or among the others. Null: there is none at this threshold.
  const Candidate* best(size_t area, int threshold, bool counting) const {
    const Candidate* found = nullptr;
    double least = coco_threshold(threshold);
    for (const Candidate& candidate : candidates_) {
      const CocoTruth& truth = truths_[candidate.truth];
      const bool is_taken = is_taken_[candidate.truth][area] >> threshold & 1;
      if (counts(truth, coco_area_ranges()[area]) != counting) continue;
      if ((is_taken && !truth.crowd) || candidate.overlap < least) continue;
      least = candidate.overlap;
      found = &candidate;
    }
    return found;
  }

  std::span<const CocoTruth> truths_;
  std::vector<std::array<uint16_t, coco_areas>> is_taken_;  // a bit for each threshold
  std::vector<Candidate> candidates_;
};

}  // namespace

double coco_threshold(int at) {
  constexpr double low = 0.5, high = 0.95, step = (high - low) / (coco_thresholds - 1);
  return at == coco_thresholds - 1 ? high : at * step + low;
}

const std::array<CocoAreaRange, coco_areas>& coco_area_ranges() {
  static constexpr double small = 32 * 32, large = 96 * 96, most = 1e10;
  static constexpr std::array<CocoAreaRange, coco_areas> ranges{
      {{0, most}, {0, small}, {small, large}, {large, most}}};
  return ranges;
}

void match_coco(std::span<const CocoTruth> truths, std::span<const CocoDetection> detections,
                std::span<CocoOutcomes> outcomes) {
  Matcher matcher(truths);
  for (size_t i = 0; i < detections.size(); ++i) outcomes[i] = matcher.match(detections[i]);
}

}  // namespace convoy
