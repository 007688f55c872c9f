// Pascal VOC: pictures with a file of XML each (data/voc/voc_layout.h). Class 0 is the background.
#include "data/boxed/box_format.h"
#include "data/boxed/boxed_dataset.h"

namespace convoy {
namespace {

std::unique_ptr<Dataset> open(const DatasetSpec& spec) { return open_boxed("voc", spec); }

bool is_in(const fs::path& folder) { return find_box_format("voc").is_in(folder); }

}  // namespace

DatasetDef voc_dataset() {
  DatasetDef def = boxed_def("voc");
  def.help =
      "pictures with boxes, for detection: Annotations, JPEGImages and ImageSets/Main in "
      "--data-dir, or the exports of CVAT, Roboflow, Label Studio and LabelImg";
  def.open = open;
  def.is_in = is_in;
  return def;
}

}  // namespace convoy
