#include "app/export/stored_tensors.h"

#include <cstring>
#include <memory>

#include "base/error.h"

namespace convoy {

void StoredTensors::round_weights(DType type) {
  for (TensorEntry& tensor : tensors_) {
    if (tensor.dtype != DType::f32 || tensor.shape.rank() < 2) continue;
    std::vector<uint16_t>& rounded = rounded_.emplace_back();
    const auto* values = reinterpret_cast<const float*>(tensor.data.data());
    for (int64_t i = 0; i < tensor.shape.count(); ++i) {
      rounded.push_back(type == DType::f16 ? rounded_to<F16>(values[i]).bits
                                           : narrowed(values[i]).bits);
    }
    tensor.dtype = type;
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
    expect(is_narrow(tensor.dtype), "weights of floats");
    for (size_t i = 0; i < count; ++i) {
      uint16_t bits = 0;
      std::memcpy(&bits, tensor.data.data() + i * sizeof(bits), sizeof(bits));
      (*wide)[i] = tensor.dtype == DType::f16 ? widened(F16{bits}) : widened(Bf16{bits});
    }
    return *wide;
  };
}

}  // namespace convoy
