#include "support/network.h"

#include "base/random.h"

namespace convoy::test {

NoiseBatch::NoiseBatch(int64_t count, const Shape& image, int classes)
    : Batch(classification_tensors(count, image)) {
  Random random(random_key(1, Purpose::generated));
  float* pixels = data<float>("image");
  for (int64_t i = 0; i < count * image.count(); ++i) pixels[i] = float(random.normal());
  for (int64_t i = 0; i < count; ++i) {
    data<int32_t>("label")[i] = int32_t(random.below(uint32_t(classes)));
    data<float>("weight")[i] = 1;
  }
  valid = count;
}

std::unique_ptr<Optimizer> default_optimizer(std::string_view name) {
  Fields defaults({});
  return find_optimizer(name).make(defaults, {});
}

}  // namespace convoy::test
