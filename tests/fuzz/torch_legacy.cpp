// Files of torch.save before 1.6, and with them pickles.
#include "fuzz/target.h"
#include "weights/torch/torch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return convoy::test::answers_weights(
      convoy::test::text_of(data, size),
      [](const convoy::SharedBytes& bytes) { return convoy::read_torch_legacy(bytes, "fuzz"); });
}
