// PNG, as it is and with sound checksums.
#include "fuzz/picture.h"
#include "support/mend.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes = convoy::test::text_of(data, size);
  convoy::test::answers_picture(bytes);
  convoy::test::mend_png(bytes);
  return convoy::test::answers_picture(bytes);
}
