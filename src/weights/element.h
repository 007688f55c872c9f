// Kinds of numbers that weight files of others hold, and how they become ours: every float is f32
// in memory, integers stay what they are where DType has them, the rest is only named.
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
// What it is in memory; none: we have no use for it.
std::optional<DType> element_dtype(Element element);
// Whether the bytes of a file serve as they lie.
bool element_is_ours(Element element);

// One element of `from` as element_dtype says, both unaligned.
void convert_element(Element element, const std::byte* from, std::byte* to);

}  // namespace convoy
