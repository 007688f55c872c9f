// Element types that weights files may contain, and their conversion: every floating type becomes
// f32 in memory, integers keep their type if DType has it, all others only have a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tensor/shape.h"

namespace convoy {

enum class Element : uint8_t {
  f64,
  f32,
  f16,
  bf16,
  s64,
  s32,
  s16,
  s8,
  u64,
  u32,
  u16,
  u8,
  boolean,
  complex64,
  complex128
};

size_t element_bytes(Element element);
std::string_view element_name(Element element);  // "float64"
// The type in memory; empty: tensors of this type are not used.
std::optional<DType> element_dtype(Element element);
// Whether the bytes of a file can be used without conversion.
bool element_is_ours(Element element);

// Converts one element to element_dtype(element); both pointers may be unaligned.
void convert_element(Element element, const std::byte* from, std::byte* to);

}  // namespace convoy
