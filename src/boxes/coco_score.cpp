// Computed in two phases, each of independent tasks: matching, for every category in every image;
// then, for every category, the recalls and the precisions at the given recalls.
#include "boxes/coco_score.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/threads/thread_pool.h"

namespace convoy {
namespace {

constexpr size_t groups_per_task = 64;
constexpr int at_50 = 0, at_75 = 5;  // thresholds

constexpr std::array precision_of{CocoNumber::ap, CocoNumber::ap_s, CocoNumber::ap_m,
                                  CocoNumber::ap_l};
constexpr std::array recall_of{CocoNumber::ar100, CocoNumber::ar_s, CocoNumber::ar_m,
                               CocoNumber::ar_l};

// The indices of `items`, stably sorted by `before`.
template <class T, class Before>
std::vector<size_t> order_of(std::span<const T> items, const Before& before) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return before(items[a], items[b]); });
  return order;
}

// The mean of what is added; -1 of nothing.
class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  double value() const { return count_ ? sum_ / static_cast<double>(count_) : -1; }

 private:
  double sum_ = 0;
  int64_t count_ = 0;
};

}  // namespace

// Outcomes of all detections, group after group.
struct CocoScorer::Matches {
  std::vector<size_t> begins;  // where each group's outcomes begin
  std::vector<CocoOutcomes> outcomes;
};

// What a category adds to the means.
struct CocoScorer::Sums {
  std::array<int64_t, coco_areas> objects{};   // how many are asked for
  std::array<double, coco_areas> precision{};  // over thresholds and recalls
  std::array<double, coco_areas> recall{};     // over thresholds
  double recall1 = 0, recall10 = 0;            // the same with fewer detections, of all areas
  CocoCategoryScore score;
};

const std::array<CocoNumberName, coco_numbers>& coco_number_names() {
  static constexpr std::array<CocoNumberName, coco_numbers> names{
      {{"AP", "precision, mean over IoU 0.50 to 0.95"},
       {"AP50", "precision at IoU 0.50"},
       {"AP75", "precision at IoU 0.75"},
       {"APs", "precision, small objects (area up to 32 x 32)"},
       {"APm", "precision, medium objects"},
       {"APl", "precision, large objects (area from 96 x 96)"},
       {"AR1", "recall with the best detection of each class in an image"},
       {"AR10", "recall with the best 10"},
       {"AR100", "recall with the best 100"},
       {"ARs", "recall with the best 100, small objects"},
       {"ARm", "recall with the best 100, medium objects"},
       {"ARl", "recall with the best 100, large objects"}}};
  return names;
}

CocoScorer::CocoScorer(int categories) : detections_in_(static_cast<size_t>(categories)) {}

std::span<const CocoTruth> CocoScorer::truths_of(const Group& group) const {
  return std::span(truths_).subspan(group.truth, group.truths);
}

std::span<const CocoDetection> CocoScorer::detections_of(const Group& group) const {
  return std::span(detections_).subspan(group.detection, group.detections);
}

void CocoScorer::add(int64_t image, std::span<const CocoTruth> truths,
                     std::span<const CocoDetection> detections) {
  const auto by_category = [](const auto& a, const auto& b) { return a.category < b.category; };
  const std::vector<size_t> truth_order = order_of(truths, by_category);
  const std::vector<size_t> order =
      order_of(detections, [](const CocoDetection& a, const CocoDetection& b) {
        return a.category != b.category ? a.category < b.category : a.score > b.score;
      });
  size_t truth = 0, detection = 0;
  while (truth < truths.size() || detection < detections.size()) {
    int category = std::numeric_limits<int>::max();
    if (truth < truths.size()) category = truths[truth_order[truth]].category;
    if (detection < detections.size()) {
      category = std::min(category, detections[order[detection]].category);
    }
    expect(category >= 0 && category < categories(), "a category is in range");
    Group group{category, image, truths_.size(), 0, detections_.size(), 0};
    for (; truth < truths.size() && truths[truth_order[truth]].category == category; ++truth) {
      truths_.push_back(truths[truth_order[truth]]);
      ++group.truths;
    }
    for (; detection < detections.size() && detections[order[detection]].category == category;
         ++detection) {
      ++detections_in_[static_cast<size_t>(category)];
      if (group.detections == coco_most_detections) continue;
      detections_.push_back(detections[order[detection]]);
      ++group.detections;
    }
    groups_.push_back(group);
  }
}

CocoScorer CocoScorer::with_perfect_detections() const {
  CocoScorer perfect(categories());
  std::vector<CocoTruth> truths;
  std::vector<CocoDetection> detections;
  for (const Group& group : groups_) {
    truths.clear();
    detections.clear();
    for (CocoTruth truth : truths_of(group)) {
      truth.has_id_zero = false;
      truths.push_back(truth);
      if (truth.crowd) continue;
      detections.push_back({truth.x, truth.y, truth.width, truth.height, 1, truth.category});
    }
    perfect.add(group.image, truths, detections);
  }
  return perfect;
}

CocoCeiling CocoScorer::ceiling(ThreadPool& pool) const {
  CocoCeiling ceiling{with_perfect_detections().score(pool)[CocoNumber::ap], 0, 0};
  for (const Group& group : groups_) {
    int64_t objects = 0;
    for (const CocoTruth& truth : truths_of(group)) {
      if (truth.crowd) continue;
      ++objects;
      ceiling.empty += truth.width <= 0 || truth.height <= 0;
    }
    ceiling.over_limit += std::max<int64_t>(0, objects - coco_most_detections);
  }
  return ceiling;
}

std::vector<CocoScorer::Group> CocoScorer::sorted_groups() const {
  std::vector<Group> groups = groups_;
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return a.category != b.category ? a.category < b.category : a.image < b.image;
  });
  return groups;
}

CocoScorer::Matches CocoScorer::match(std::span<const Group> groups, ThreadPool& pool) const {
  Matches matches;
  size_t count = 0;
  for (const Group& group : groups) {
    matches.begins.push_back(count);
    count += group.detections;
  }
  matches.outcomes.resize(count);
  const size_t tasks = (groups.size() + groups_per_task - 1) / groups_per_task;
  pool.run(static_cast<int>(tasks), [&](int task, int) {
    const size_t begin = static_cast<size_t>(task) * groups_per_task;
    for (size_t i = begin; i < std::min(begin + groups_per_task, groups.size()); ++i) {
      match_coco(truths_of(groups[i]), detections_of(groups[i]),
                 std::span(matches.outcomes).subspan(matches.begins[i], groups[i].detections));
    }
  });
  return matches;
}

// The outcomes of all detections of a category, by falling score; of equal scores, the image with
// the smaller number first.
std::vector<CocoOutcomes> CocoScorer::sorted_outcomes(std::span<const Group> groups,
                                                      const CocoOutcomes* outcomes) const {
  std::vector<double> scores;
  for (const Group& group : groups) {
    for (const CocoDetection& detection : detections_of(group)) scores.push_back(detection.score);
  }
  std::vector<CocoOutcomes> sorted;
  sorted.reserve(scores.size());
  for (const size_t at : order_of(std::span<const double>(scores), std::greater<>())) {
    sorted.push_back(outcomes[at]);
  }
  return sorted;
}

CocoScorer::Sums CocoScorer::sums(std::span<const Group> groups, const CocoOutcomes* outcomes,
                                  std::span<double> precisions) const {
  Sums sums;
  int64_t right1 = 0, right10 = 0;
  const CocoOutcomes* next = outcomes;
  for (const Group& group : groups) {
    for (const CocoTruth& truth : truths_of(group)) {
      ++(truth.crowd ? sums.score.crowds : sums.score.objects);
      for (size_t area = 0; area < coco_areas; ++area) {
        sums.objects[area] += counts(truth, coco_area_ranges()[area]);
      }
    }
    for (size_t rank = 0; rank < group.detections; ++rank, ++next) {
      const CocoOutcome& all = next->front();
      const int right = std::popcount(static_cast<uint16_t>(all.is_right & ~all.is_ignored));
      if (rank < 1) right1 += right;
      if (rank < 10) right10 += right;
    }
  }
  if (sums.objects[0] == 0) return sums;  // none in the other ranges either
  const auto objects = static_cast<double>(sums.objects[0]);
  sums.recall1 = static_cast<double>(right1) / objects;
  sums.recall10 = static_cast<double>(right10) / objects;

  const std::vector<CocoOutcomes> sorted = sorted_outcomes(groups, outcomes);
  for (int area = 0; area < coco_areas; ++area) {
    const auto i = static_cast<size_t>(area);
    if (sums.objects[i] == 0) continue;
    for (int threshold = 0; threshold < coco_thresholds; ++threshold) {
      const CocoCurve curve = coco_curve(sorted, area, threshold, sums.objects[i]);
      const double sum = std::accumulate(curve.precision.begin(), curve.precision.end(), 0.0);
      sums.precision[i] += sum;
      sums.recall[i] += curve.recall;
      if (area != 0) continue;
      std::ranges::copy(curve.precision, precisions.begin() + threshold * coco_recalls);
      if (threshold == at_50) sums.score.ap50 = sum / coco_recalls;
      if (threshold == at_75) sums.score.ap75 = sum / coco_recalls;
    }
  }
  sums.score.ap = sums.precision[0] / (coco_thresholds * coco_recalls);
  sums.score.ar100 = sums.recall[0] / coco_thresholds;
  return sums;
}

CocoScore CocoScorer::score(ThreadPool& pool) const {
  const std::vector<Group> groups = sorted_groups();
  const Matches matches = match(groups, pool);
  constexpr size_t numbers = size_t{coco_thresholds} * coco_recalls;
  CocoScore score;
  score.precisions.resize(detections_in_.size() * numbers);
  std::vector<Sums> sums(detections_in_.size());
  pool.run(categories(), [&](int category, int) {
    const auto [begin, end] = std::ranges::equal_range(groups, category, {}, &Group::category);
    if (begin == end) return;
    const auto first = static_cast<size_t>(begin - groups.begin());
    const auto k = static_cast<size_t>(category);
    sums[k] = this->sums({begin, end}, matches.outcomes.data() + matches.begins[first],
                         std::span(score.precisions).subspan(k * numbers, numbers));
  });
  std::array<Mean, coco_numbers> means;
  const auto add = [&](CocoNumber number, double value) {
    means[static_cast<size_t>(number)].add(value);
  };
  for (size_t k = 0; k < sums.size(); ++k) {
    const Sums& of = sums[k];
    score.categories.push_back(of.score);
    score.categories.back().detections = detections_in_[k];
    for (size_t area = 0; area < coco_areas; ++area) {
      if (of.objects[area] == 0) continue;
      add(precision_of[area], of.precision[area] / static_cast<double>(numbers));
      add(recall_of[area], of.recall[area] / coco_thresholds);
    }
    if (of.objects[0] == 0) continue;
    add(CocoNumber::ap50, of.score.ap50);
    add(CocoNumber::ap75, of.score.ap75);
    add(CocoNumber::ar1, of.recall1 / coco_thresholds);
    add(CocoNumber::ar10, of.recall10 / coco_thresholds);
  }
  std::ranges::transform(means, score.numbers.begin(), &Mean::value);
  return score;
}

}  // namespace convoy
