// The index of a TensorFlow checkpoint, with a data file of 64 zeros; as it is and with sound
// checksums of its blocks.
#include "weights/tensorflow/tf_bundle.h"

#include "fuzz/target.h"
#include "support/mend.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto zeros = std::make_shared<const std::string>(64, '\0');
  const auto read = [&](const convoy::SharedBytes& bytes) {
    return convoy::read_tf_bundle(*bytes, "fuzz", [&](int, int) { return zeros; });
  };
  std::string bytes = convoy::test::text_of(data, size);
  convoy::test::answers_weights(bytes, read);
  convoy::test::mend_table(bytes);
  return convoy::test::answers_weights(std::move(bytes), read);
}
