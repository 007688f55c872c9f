// Shapes: a detection set that is drawn on this machine (data/shapes/), in COCO's layout.
#include <fmt/format.h>

#include "base/text/text.h"
#include "data/dataset.h"
#include "data/shapes/shape_outline.h"
#include "data/shapes/shapes_folder.h"

namespace convoy {

DatasetDef coco_dataset();

namespace {

std::string make_files(const fs::path& folder, ThreadPool& pool) {
  const ShapesSpec spec;
  const ShapesResult made = write_shapes(folder, spec, pool);
  return fmt::format("drew {} training and {} validation pictures with {} objects, {}",
                     with_commas(spec.train), with_commas(spec.val), with_commas(made.objects),
                     human_bytes(static_cast<double>(made.bytes)));
}

}  // namespace

// Everything else is as for COCO's own pictures.
DatasetDef shapes_dataset() {
  DatasetDef set = coco_dataset();
  set.name = "shapes";
  set.help =
      "eight kinds of drawn shapes with boxes, for a first detector; `train` draws them where the "
      "folder is missing, and `prepare shapes` other numbers and sizes of them";
  set.default_folder = "data/shapes";
  set.make_files = make_files;
  set.is_in = nullptr;
  const ShapesSpec spec;
  set.published = {
      .train = spec.train, .test = spec.val, .classes = 1 + shape_kinds, .objects = true};
  return set;
}

}  // namespace convoy
