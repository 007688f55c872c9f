#include "boxes/coco_curve.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace convoy {

double coco_recall(int at) { return at == coco_recalls - 1 ? 1 : at * 0.01; }

CocoCurve coco_curve(std::span<const CocoOutcomes> sorted, int area, int threshold,
                     int64_t objects) {
  // The precision after each right detection: between two of them it only falls.
  std::vector<double> precisions;
  double wrong = 0;
  for (const CocoOutcomes& outcomes : sorted) {
    const CocoOutcome& outcome = outcomes[static_cast<size_t>(area)];
    if (outcome.is_ignored >> threshold & 1) continue;
    if (!(outcome.is_right >> threshold & 1)) {
      ++wrong;
      continue;
    }
    const auto right = static_cast<double>(precisions.size() + 1);
    // COCOeval adds an epsilon, so that a perfect precision is a little below 1.
    precisions.push_back(right / (wrong + right + std::numeric_limits<double>::epsilon()));
  }
  for (size_t i = precisions.size(); i-- > 1;) {
    precisions[i - 1] = std::max(precisions[i - 1], precisions[i]);
  }
  const auto recall_after = [&](size_t right) {
    return static_cast<double>(right) / static_cast<double>(objects);
  };
  CocoCurve curve{recall_after(precisions.size()), {}};
  size_t at = 0;
  for (int i = 0; i < coco_recalls; ++i) {
    while (at < precisions.size() && recall_after(at + 1) < coco_recall(i)) ++at;
    if (at == precisions.size()) break;
    curve.precision[static_cast<size_t>(i)] = precisions[at];
  }
  return curve;
}

}  // namespace convoy
