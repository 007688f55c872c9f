// Small sets of pictures with boxes, laid out as programs for labelling export them. Every set has
// two classes, bee and cat, and the same pictures: a.bmp (90 x 60, a cat at 9, 6, 45 x 30),
// b.bmp (80 x 40, a bee at 0, 0, 80 x 40 and a cat at 20, 10, 20 x 10), c.bmp (64 x 64, nothing).
// Sets with splits have a and b in train; b2.bmp, like b, and c in val.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/files/file.h"

namespace convoy::test {

struct BoxedLayout {
  std::string name;    // of the program and its format: "roboflow_yolo"
  std::string format;  // coco, voc, yolo
  bool has_splits;
  // In VOC and COCO, numbers are whole; in YOLO they have six decimals.
  std::function<void(const fs::path& folder)> write;
};

const std::vector<BoxedLayout>& boxed_layouts();

// The set of a layout.
void write_layout(const std::string& name, const fs::path& folder);

// Folders and their content.
void write_text(const fs::path& path, const std::string& text);
void write_picture(const fs::path& path, int64_t width, int64_t height);

}  // namespace convoy::test
