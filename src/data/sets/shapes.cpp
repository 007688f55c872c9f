// Shapes: a detection set that is drawn on this machine (data/shapes/), in COCO's layout.
#include <fmt/format.h>

#include "base/text/text.h"
#include "data/boxed/boxed_dataset.h"
#include "data/shapes/shape_outline.h"
#include "data/shapes/shapes_folder.h"

namespace convoy {
namespace {

std::unique_ptr<Dataset> open(const DatasetSpec& spec) { return open_boxed("coco", spec); }

std::string make_files(const fs::path& folder, ThreadPool& pool) {
  const ShapesSpec spec;
  const ShapesResult made = write_shapes(folder, spec, pool);
  return fmt::format("drew {} training and {} validation pictures with {} objects, {}",
                     with_commas(spec.train), with_commas(spec.val), with_commas(made.objects),
                     human_bytes(static_cast<double>(made.bytes)));
}

}  // namespace

DatasetDef shapes_dataset() {
  DatasetDef def = boxed_def("coco");
  def.name = "shapes";
  def.help =
      "eight kinds of drawn shapes with boxes, for a first detector; `train` draws them where the "
      "folder is missing, and `prepare shapes` other numbers and sizes of them";
  def.open = open;
  def.default_folder = "data/shapes";
  def.make_files = make_files;
  def.may_be_whole = false;
  const ShapesSpec spec;
  def.published = {
      .train = spec.train, .test = spec.val, .classes = 1 + shape_kinds, .objects = true};
  return def;
}

}  // namespace convoy
