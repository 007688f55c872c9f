// JPEG: its pixels, and packing it.
#include "fuzz/picture.h"
#include "pictures/jpeg_pack.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes = convoy::test::text_of(data, size);
  convoy::test::answers(convoy::Fault::data, [&] { convoy::pack_jpeg(bytes, "fuzz"); });
  return convoy::test::answers_picture(bytes);
}
