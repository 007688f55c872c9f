// safetensors: 8 bytes of length, then a JSON header (weights/safetensors.h).

#include "weights/safetensors.h"

#include "weights/weight_file.h"

namespace convoy {
namespace {

Element element_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return Element::f32;
    case DType::bf16:
      return Element::bf16;
    case DType::f16:
      return Element::f16;
    case DType::s32:
      return Element::s32;
    case DType::s64:
      return Element::s64;
    case DType::u8:
      return Element::u8;
    case DType::f64:
      return Element::f64;
  }
  broken_promise("a type without an element", std::source_location::current());
}

WeightData data_of(SafetensorsFile whole) {
  const auto file = std::make_shared<const SafetensorsFile>(std::move(whole));
  WeightData data(file->origin(), file->size());
  data.keep(file);
  data.metadata = file->metadata();
  for (const TensorEntry& tensor : file->tensors()) {
    data.add(tensor.name, View::row_major(element_of(tensor.dtype), tensor.shape), tensor.data);
  }
  for (const ForeignEntry& tensor : file->foreign_tensors()) {
    if (tensor.type == "F64") {
      data.add(tensor.name, View::row_major(Element::f64, tensor.shape), tensor.data);
    } else {
      data.add_foreign(tensor.name, std::string(tensor.type));
    }
  }
  return data;
}

}  // namespace

WeightFormat safetensors_weight_format() {
  return {.name = "safetensors",
          .help = "Convoy's own, and what model hubs hold",
          .recognises = [](const Glimpse& g) { return g.head.size() > 8 && g.head[8] == '{'; },
          .read = [](const fs::path& path) { return data_of(SafetensorsFile::read(path)); }};
}

WeightFile WeightFile::of(SafetensorsFile file) {
  return {safetensors_weight_format().name, data_of(std::move(file))};
}

}  // namespace convoy
