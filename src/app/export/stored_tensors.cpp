#include "app/export/stored_tensors.h"

#include <cstring>
#include <memory>

#include "base/error.h"

namespace convoy {

void StoredTensors::round_weights() {
  for (TensorEntry& tensor : tensors_) {
    if (tensor.dtype != DType::f32 || tensor.shape.rank() < 2) continue;
    std::vector<Bf16>& rounded = rounded_.emplace_back();
    const auto* values = reinterpret_cast<const float*>(tensor.data.data());
    for (int64_t i = 0; i < tensor.shape.count(); ++i) rounded.push_back(narrowed(values[i]));
    tensor.dtype = DType::bf16;
    tensor.data = std::as_bytes(std::span(rounded));
  }
}

GraphRun::Weights in_fp32(std::function<const TensorEntry&(const std::string&)> find) {
  const auto wide = std::make_shared<std::vector<float>>();  // of the last one
  return [=, find = std::move(find)](const std::string& name) -> std::span<const float> {
    const TensorEntry& tensor = find(name);
    const auto count = static_cast<size_t>(tensor.shape.count());
    wide->resize(count);
    if (tensor.dtype == DType::f32) {
      std::memcpy(wide->data(), tensor.data.data(), tensor.data.size());
      return *wide;
    }
    expect(tensor.dtype == DType::bf16, "weights in fp32 or bf16");
    for (size_t i = 0; i < count; ++i) {
      Bf16 value{};
      std::memcpy(&value, tensor.data.data() + i * sizeof(Bf16), sizeof(Bf16));
      (*wide)[i] = widened(value);
    }
    return *wide;
  };
}

}  // namespace convoy
