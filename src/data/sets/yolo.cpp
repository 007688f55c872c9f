// YOLO: pictures with a file of labels each (data/yolo/yolo_layout.h). Class 0 is the background.
#include "data/boxed/box_format.h"
#include "data/boxed/boxed_dataset.h"
#include "data/yolo/yolo_layout.h"

namespace convoy {
namespace {

std::unique_ptr<Dataset> open(const DatasetSpec& spec) { return open_boxed("yolo", spec); }

}  // namespace

DatasetDef yolo_dataset() {
  DatasetDef def = boxed_def("yolo");
  def.help =
      "pictures with boxes, for detection: data.yaml in --data-dir, and the folders or lists that "
      "it names, as ultralytics, Roboflow, CVAT and Label Studio have them";
  def.open = open;
  def.is_in = has_yolo;
  return def;
}

}  // namespace convoy
