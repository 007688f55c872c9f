// A file that PyTorch itself wrote (tests/fixtures/make_safetensors.py): its order of the data, its
// padding, its types.

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "kernels/cast.h"
#include "support/fixture.h"
#include "weights/safetensors.h"

namespace convoy::test {
namespace {

template <class T>
std::vector<T> copied(const TensorEntry& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

template <class T>
std::vector<double> as_doubles(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

std::vector<double> values_of(const TensorEntry& tensor) {
  const auto widen = [&](void (*cast)(const uint16_t*, float*, int64_t)) {
    const auto halves = copied<uint16_t>(tensor);
    std::vector<float> floats(halves.size());
    cast(halves.data(), floats.data(), static_cast<int64_t>(halves.size()));
    return as_doubles(floats);
  };
  switch (tensor.dtype) {
    case DType::f32:
      return as_doubles(copied<float>(tensor));
    case DType::bf16:
      return widen(kernels::bf16_to_f32);
    case DType::f16:
      return widen(kernels::f16_to_f32);
    case DType::s32:
      return as_doubles(copied<int32_t>(tensor));
    case DType::s64:
      return as_doubles(copied<int64_t>(tensor));
    case DType::u8:
      return as_doubles(copied<uint8_t>(tensor));
    case DType::f64:
      return as_doubles(copied<double>(tensor));
  }
  return {};
}

TEST(TorchFile, IsReadAsPyTorchMeantIt) {
  const auto file = SafetensorsFile::read(fixture_path("torch.safetensors"));
  EXPECT_EQ(file.metadata(), (Metadata{{"format", "pt"}, {"note", "by PyTorch"}}));
  const auto stored = fixture("torch_safetensors").at("tensors");
  EXPECT_EQ(file.tensors().size() + file.foreign().size(), stored.size());
  EXPECT_EQ(file.foreign(),
            (std::map<std::string, std::string>{{"double", "F64"}, {"flag", "BOOL"}}));
  for (const TensorEntry& tensor : file.tensors()) {
    const auto& truth = stored.at(tensor.name);
    EXPECT_EQ(std::string(name(tensor.dtype)), truth.at("dtype").get<std::string>()) << tensor.name;
    EXPECT_EQ(std::vector<int64_t>(tensor.shape.begin(), tensor.shape.end()),
              truth.at("shape").get<std::vector<int64_t>>())
        << tensor.name;
    EXPECT_EQ(values_of(tensor), truth.at("values").get<std::vector<double>>()) << tensor.name;
  }
}

}  // namespace
}  // namespace convoy::test
