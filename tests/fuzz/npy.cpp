// One array of numpy.
#include "fuzz/target.h"
#include "weights/numpy_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers_weights(
      convoy::test::text_of(data, size),
      [](const convoy::SharedBytes& bytes) { return convoy::read_npy(bytes, "fuzz", "a"); });
}
