// Files of torch.save since 1.6. Checksums would stop most damage at the door, so it is read again
// with sound ones.
#include "fuzz/target.h"
#include "support/mend.h"
#include "weights/torch/torch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto read = [](const convoy::SharedBytes& bytes) {
    return convoy::read_torch_zip(bytes, "fuzz");
  };
  std::string bytes = convoy::test::text_of(data, size);
  convoy::test::answers_weights(bytes, read);
  convoy::test::mend_zip(bytes);
  return convoy::test::answers_weights(std::move(bytes), read);
}
