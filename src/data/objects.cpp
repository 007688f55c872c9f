#include "data/objects.h"

#include <algorithm>
#include <array>

namespace convoy::object_tensor {

TensorList fixed() {
  return {{std::string(image_id), {{}, DType::s64}},
          {std::string(picture_size), {{2}, DType::s32}}};
}

void add(const Values& values, Sample& sample) {
  const auto count = static_cast<int64_t>(values.boxes.size());
  const auto sides = sample.add<float>(boxes, {count, 4});
  for (size_t i = 0; i < values.boxes.size(); ++i) {
    const Box& box = values.boxes[i];
    std::ranges::copy(std::array{box.ymin, box.xmin, box.ymax, box.xmax},
                      sides.begin() + static_cast<int64_t>(i) * 4);
  }
  std::ranges::copy(values.classes, sample.add<int32_t>(classes, {count}).begin());
  const auto rows = static_cast<int64_t>(values.truth.size()) / truth_columns;
  std::ranges::copy(values.truth, sample.add<double>(truth, {rows, truth_columns}).begin());
  sample.add<int64_t>(image_id, {})[0] = values.image_id;
  const auto size = sample.add<int32_t>(picture_size, {2});
  size[0] = static_cast<int32_t>(values.height);
  size[1] = static_cast<int32_t>(values.width);
}

}  // namespace convoy::object_tensor
