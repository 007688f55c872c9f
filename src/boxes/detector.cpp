#include "boxes/detector.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace convoy {
namespace {

bool is_finite(const Box& box) {
  return std::isfinite(box.ymin) && std::isfinite(box.xmin) && std::isfinite(box.ymax) &&
         std::isfinite(box.xmax);
}

// Puts the best ones in front, at most `most`, in their order; returns how many they are.
int64_t sort_best(auto& list, int64_t most, const auto& is_better) {
  const int64_t count = std::min(std::ssize(list), most);
  if (count < std::ssize(list)) {
    std::nth_element(list.begin(), list.begin() + count, list.end(), is_better);
  }
  std::sort(list.begin(), list.begin() + count, is_better);
  return count;
}

void grow(auto& lists, int64_t count) {
  if (std::ssize(lists) < count) lists.resize(static_cast<size_t>(count));
}

}  // namespace

Detector::Detector(const DefaultBoxes& boxes, int64_t classes, const DetectorOptions& options)
    : boxes_(boxes.centred().begin(), boxes.centred().end()),
      pieces_{boxes.count(), 1024},
      classes_(classes),
      options_(options) {
  expect(classes >= 2, "there is a class besides the background");
}

std::span<const std::vector<Detection>> Detector::detect(const float* logits, const float* codes,
                                                         int64_t images, ThreadPool& pool) {
  const int64_t boxes = std::ssize(boxes_), pieces = pieces_.tasks(), objects = classes_ - 1;
  grow(candidates_, images * pieces);
  grow(of_class_, images * objects);
  grow(kept_, images * objects);
  grow(found_, images);
  pool.run(static_cast<int>(images * pieces), [&](int task, int) {
    const int64_t image = task / pieces;
    const int p = static_cast<int>(task % pieces);
    std::vector<Candidate>& found = candidates_[static_cast<size_t>(task)];
    found.clear();
    find_candidates(logits + image * boxes * classes_, classes_, pieces_.begin(p),
                    pieces_.begin(p) + pieces_.length(p), options_.min_score, found);
  });
  pool.run(static_cast<int>(images), [&](int image, int) { sort_by_class(image); });
  pool.run(static_cast<int>(images * objects), [&](int task, int) {
    const int64_t image = task / objects;
    detect_class(codes + image * boxes * 4, image, static_cast<int32_t>(task % objects + 1));
  });
  pool.run(static_cast<int>(images), [&](int image, int) { merge(image); });
  return std::span(found_).first(static_cast<size_t>(images));
}

void Detector::sort_by_class(int64_t image) {
  std::vector<Candidate>* classes = of_class_.data() + image * (classes_ - 1);
  for (int64_t k = 0; k < classes_ - 1; ++k) classes[k].clear();
  const int64_t pieces = pieces_.tasks();
  for (int64_t p = image * pieces; p < (image + 1) * pieces; ++p) {
    for (const Candidate& c : candidates_[static_cast<size_t>(p)]) {
      classes[c.label - 1].push_back(c);
    }
  }
}

void Detector::detect_class(const float* codes, int64_t image, int32_t label) {
  const auto place = static_cast<size_t>(image * (classes_ - 1) + label - 1);
  std::vector<Candidate>& mine = of_class_[place];
  const auto is_better = [](const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.box < b.box;
  };
  const int64_t count = sort_best(mine, options_.class_candidates, is_better);
  std::vector<Detection>& kept = kept_[place];
  kept.clear();
  for (auto c = mine.begin(); c != mine.begin() + count; ++c) {
    const Box box = decode(boxes_[static_cast<size_t>(c->box)], codes + int64_t{c->box} * 4);
    if (is_finite(box)) kept.push_back({box, label, c->score});
  }
  suppress(options_.max_overlap, kept);
}

// In their lists, detections of a class are already in order, the lower default box first.
void Detector::merge(int64_t image) {
  struct Ranked {
    float score;
    const Detection* detection;
  };
  std::vector<Ranked> all;
  for (int64_t k = 0; k < classes_ - 1; ++k) {
    for (const Detection& one : kept_[static_cast<size_t>(image * (classes_ - 1) + k)]) {
      all.push_back({one.score, &one});
    }
  }
  const auto is_better = [](const Ranked& a, const Ranked& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.detection->label != b.detection->label) return a.detection->label < b.detection->label;
    return a.detection < b.detection;
  };
  const int64_t count = sort_best(all, options_.image_detections, is_better);
  std::vector<Detection>& found = found_[static_cast<size_t>(image)];
  found.clear();
  for (int64_t i = 0; i < count; ++i) found.push_back(*all[static_cast<size_t>(i)].detection);
}

}  // namespace convoy
