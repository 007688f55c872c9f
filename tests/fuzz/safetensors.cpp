// safetensors.
#include "weights/safetensors.h"

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using convoy::SafetensorsFile;
  return convoy::test::answers_weights(
      convoy::test::text_of(data, size), [](const convoy::SharedBytes& bytes) {
        const auto sound = std::make_shared<const SafetensorsFile>(*bytes, "fuzz");
        convoy::WeightData weights("fuzz", bytes->size());
        weights.keep(sound);
        weights.tensors = sound->tensors();
        weights.foreign = sound->foreign();
        return weights;
      });
}
