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
  pool.run(static_cast<int>(images * objects), [&](int task, int) {
    const int64_t image = task / objects;
    detect_class(codes + image * boxes * 4, image, static_cast<int32_t>(task % objects + 1));
  });
  pool.run(static_cast<int>(images), [&](int image, int) { merge(image); });
  return std::span(found_).first(static_cast<size_t>(images));
}

void Detector::detect_class(const float* codes, int64_t image, int32_t label) {
  const auto place = static_cast<size_t>(image * (classes_ - 1) + label - 1);
  std::vector<Candidate>& mine = of_class_[place];
  mine.clear();
  const int64_t pieces = pieces_.tasks();
  for (int64_t p = image * pieces; p < (image + 1) * pieces; ++p) {
    for (const Candidate& c : candidates_[static_cast<size_t>(p)]) {
      if (c.label == label) mine.push_back(c);
    }
  }
  const int64_t count = std::min(std::ssize(mine), options_.class_candidates);
  std::partial_sort(mine.begin(), mine.begin() + count, mine.end(),
                    [](const Candidate& a, const Candidate& b) {
                      return a.score != b.score ? a.score > b.score : a.box < b.box;
                    });
  std::vector<Detection>& kept = kept_[place];
  kept.clear();
  for (auto c = mine.begin(); c != mine.begin() + count; ++c) {
    const Box box = decode(boxes_[static_cast<size_t>(c->box)], codes + int64_t{c->box} * 4);
    if (is_finite(box)) kept.push_back({box, label, c->score});
  }
  suppress(options_.max_overlap, kept);
}

// Detections of a class are already in order, the lower default box first, and a stable sort keeps
// them so.
void Detector::merge(int64_t image) {
  std::vector<Detection>& all = found_[static_cast<size_t>(image)];
  all.clear();
  for (int64_t k = 0; k < classes_ - 1; ++k) {
    const auto& kept = kept_[static_cast<size_t>(image * (classes_ - 1) + k)];
    all.insert(all.end(), kept.begin(), kept.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  if (std::ssize(all) > options_.image_detections) {
    all.resize(static_cast<size_t>(options_.image_detections));
  }
}

}  // namespace convoy
