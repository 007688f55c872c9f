// Label files of YOLO.
#include "boxes/yolo_labels.h"

#include <cmath>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = convoy::test::text_of(data, size);
  for (const bool key_points : {false, true}) {
    const convoy::YoloLabels labels = convoy::parse_yolo_labels(text, 80, key_points);
    for (const convoy::YoloRow& row : labels.rows) {
      convoy::expect(row.number >= 0 && row.number < 80, "its class exists");
      for (const double value : {row.cx, row.cy, row.width, row.height}) {
        convoy::expect(value >= -0.01 && value <= 1.01, "a fraction");
      }
      convoy::expect(row.width >= 0 && row.height >= 0, "a size");
    }
  }
  return 0;
}
