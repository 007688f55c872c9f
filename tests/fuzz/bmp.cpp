// BMP pictures: whole, and in part.
#include "fuzz/picture.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers_picture(convoy::test::text_of(data, size));
}
