#include "weights/element.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace convoy {
namespace {

struct Row {
  std::string_view name;
  size_t bytes;
  std::optional<DType> ours;
};
// In the order of `Element`.
constexpr std::array<Row, 15> rows{{{"float64", 8, DType::f32},
                                    {"float32", 4, DType::f32},
                                    {"float16", 2, DType::f32},
                                    {"bfloat16", 2, DType::f32},
                                    {"int64", 8, DType::s64},
                                    {"int32", 4, DType::s32},
                                    {"int16", 2, std::nullopt},
                                    {"int8", 1, std::nullopt},
                                    {"uint64", 8, std::nullopt},
                                    {"uint32", 4, std::nullopt},
                                    {"uint16", 2, std::nullopt},
                                    {"uint8", 1, DType::u8},
                                    {"bool", 1, std::nullopt},
                                    {"complex64", 8, std::nullopt},
                                    {"complex128", 16, std::nullopt}}};

const Row& row(Element element) { return rows[static_cast<size_t>(element)]; }

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// With integer operations: the kernels' conversions are in a folder that this one may not include,
// and this runs only once per file. A subnormal f16 becomes a normal float, so flush-to-zero does
// not affect it.
float half_to_float(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16, fraction = half & 0x3ffu;
  const uint32_t exponent = (half >> 10) & 31u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent > 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float small = std::ldexp(static_cast<float>(fraction), -24);
  return sign ? -small : small;
}

}  // namespace

size_t element_bytes(Element element) { return row(element).bytes; }
std::string_view element_name(Element element) { return row(element).name; }
std::optional<DType> element_dtype(Element element) { return row(element).ours; }

bool element_is_ours(Element element) {
  return row(element).ours && bytes_per_element(*row(element).ours) == row(element).bytes;
}

void convert_element(Element element, const std::byte* from, std::byte* to) {
  float value = 0;
  switch (element) {
    case Element::f64:
      value = static_cast<float>(load<double>(from));
      break;
    case Element::f16:
      value = half_to_float(load<uint16_t>(from));
      break;
    case Element::bf16:
      value = std::bit_cast<float>(static_cast<uint32_t>(load<uint16_t>(from)) << 16);
      break;
    default:
      expect(element_is_ours(element), "an element that has no place in memory");
      std::memcpy(to, from, element_bytes(element));
      return;
  }
  std::memcpy(to, &value, sizeof value);
}

}  // namespace convoy
