#include "boxes/coco_results.h"

#include <fmt/core.h>

#include "boxes/coco_row.h"

namespace convoy {
namespace {

struct ImageBoxes {
  std::vector<CocoTruth> truths;
  std::vector<CocoDetection> detections;
};

void read_results(const fs::path& file, const CocoIndex& images, const CocoIndex& categories,
                  std::vector<ImageBoxes>& into) {
  const JsonTable table{"", {"image_id", "category_id", "bbox", "score"}};
  for_each_coco_row(file, {&table, 1}, [&](size_t, const CocoRow& row) {
    const int64_t image = images.find(row.id(0)), category = categories.find(row.id(1));
    if (image < 0) {
      row.fail(fmt::format("is of image {}, which the annotations do not list", row.id(0)));
    }
    if (category < 0) {
      row.fail(fmt::format("is of category {}, which the annotations do not list", row.id(1)));
    }
    const CocoBox box = row.box(2);
    if (box.width < 0 || box.height < 0) {
      row.fail(fmt::format("has a box of {:g} x {:g}; boxes are x, y, width, height", box.width,
                           box.height));
    }
    into[static_cast<size_t>(image)].detections.push_back(
        {box.x, box.y, box.width, box.height, row.number(3), static_cast<int>(category)});
  });
}

}  // namespace

CocoScorer scorer_of(const CocoAnnotations& annotations, const fs::path& results) {
  const CocoIndex images(annotations.images), categories(annotations.categories);
  std::vector<ImageBoxes> boxes(annotations.images.size());
  for (const CocoAnnotation& a : annotations.annotations) {
    boxes[static_cast<size_t>(images.find(a.image))].truths.push_back(
        {a.x, a.y, a.width, a.height, a.area, static_cast<int>(categories.find(a.category)),
         a.crowd, a.id == 0});
  }
  read_results(results, images, categories, boxes);
  CocoScorer scorer(static_cast<int>(annotations.categories.size()));
  for (size_t i = 0; i < boxes.size(); ++i) {
    scorer.add(annotations.images[i].id, boxes[i].truths, boxes[i].detections);
    boxes[i] = {};  // the scorer has its own
  }
  return scorer;
}

}  // namespace convoy
