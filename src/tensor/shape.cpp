#include "tensor/shape.h"

#include <fmt/core.h>

#include "base/error.h"
#include "tensor/isa.h"

namespace convoy {

void Shape::refuse_rank() {
  broken_promise("a shape of at most 6 dimensions", std::source_location::current());
}

size_t bytes_per_element(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::s32:
      return 4;
    case DType::bf16:
    case DType::f16:
      return 2;
    case DType::s64:
    case DType::f64:
      return 8;
    case DType::u8:
      return 1;
  }
  return 0;
}

std::string_view name(DType dtype) {
  constexpr std::string_view names[] = {"f32", "bf16", "f16", "s32", "s64", "u8", "f64"};
  return names[static_cast<size_t>(dtype)];
}

int64_t stored_count(const TensorType& type) {
  if (type.layout == Layout::plain) return type.shape.count();
  Shape padded = type.shape;
  padded[1] = round_up(padded[1], channel_block());
  return padded.count();
}

size_t stored_bytes(const TensorType& type) {
  return static_cast<size_t>(stored_count(type)) * bytes_per_element(type.dtype);
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (const int64_t d : shape) text += fmt::format("{}{}", text.empty() ? "" : "x", d);
  return text.empty() ? "scalar" : text;
}

std::string to_string(const TensorType& type) {
  return fmt::format("{}[{}]{}", name(type.dtype), to_string(type.shape),
                     type.layout == Layout::blocked ? " blocked" : "");
}

}  // namespace convoy
