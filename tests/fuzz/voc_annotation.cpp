// Annotation files of Pascal VOC.
#include "boxes/voc_annotation.h"

#include <cmath>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const convoy::VocRead read = convoy::parse_voc_annotation(convoy::test::text_of(data, size));
  convoy::expect(read.annotation.width >= 0 && read.annotation.height >= 0, "a size");
  for (const convoy::VocObject& object : read.annotation.objects) {
    convoy::expect(!object.name.empty(), "a name");
    for (const double side : {object.xmin, object.ymin, object.xmax, object.ymax}) {
      convoy::expect(std::abs(side) <= 1e9, "a number of pixels");
    }
  }
  return 0;
}
