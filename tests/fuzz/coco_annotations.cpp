// COCO's annotation files.
#include "boxes/coco_annotations.h"

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto path = convoy::test::as_file("truth.json", convoy::test::text_of(data, size));
  return convoy::test::answers(convoy::Fault::data, [&] {
    const convoy::CocoAnnotations all = convoy::read_coco_annotations(path);
    const convoy::CocoIndex images(all.images), categories(all.categories);
    for (const convoy::CocoAnnotation& annotation : all.annotations) {
      convoy::expect(images.find(annotation.image) >= 0, "its image exists");
      convoy::expect(categories.find(annotation.category) >= 0, "its category exists");
    }
  });
}
