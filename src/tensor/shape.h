// Shapes, element types, memory layouts. Shapes are logical (NCHW, OIHW) in every layout.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace convoy {

class Shape {
 public:
  static constexpr int max_rank = 6;

  constexpr Shape() = default;
  // The constructor and append allow at most max_rank dimensions, else Fault::bug.
  constexpr Shape(std::initializer_list<int64_t> dims) {
    for (const int64_t d : dims) append(d);
  }

  constexpr int rank() const { return rank_; }
  constexpr int64_t operator[](int i) const { return dims_[static_cast<size_t>(i)]; }
  constexpr int64_t& operator[](int i) { return dims_[static_cast<size_t>(i)]; }
  constexpr const int64_t* begin() const { return dims_.data(); }
  constexpr const int64_t* end() const { return dims_.data() + rank_; }
  constexpr bool operator==(const Shape&) const = default;
  constexpr void append(int64_t dim) {
    if (rank_ == max_rank) refuse_rank();
    dims_[static_cast<size_t>(rank_++)] = dim;
  }

  // The number of elements; 1 for a scalar.
  constexpr int64_t count() const {
    int64_t product = 1;
    for (const int64_t d : *this) product *= d;
    return product;
  }

 private:
  [[noreturn]] static void refuse_rank();

  std::array<int64_t, max_rank> dims_{};
  int rank_ = 0;
};

// f64 is for sums that need it: no activation or parameter is stored as f64.
enum class DType : uint8_t { f32, bf16, f16, s32, s64, u8, f64 };

// How a value is arranged in memory.
enum class Layout : uint8_t {
  plain,    // row-major over the logical dimensions
  blocked,  // rank 4: [n][c / B][h][w][B], channels padded with zeros to B = channel_block()
};

struct TensorType {
  Shape shape;
  DType dtype = DType::f32;
  Layout layout = Layout::plain;

  bool operator==(const TensorType&) const = default;
};

size_t bytes_per_element(DType dtype);
std::string_view name(DType dtype);

// The number of elements as stored, including padding.
int64_t stored_count(const TensorType& type);
size_t stored_bytes(const TensorType& type);

std::string to_string(const Shape& shape);      // "32x16x8x8"
std::string to_string(const TensorType& type);  // "f32[32x16x8x8] blocked"

constexpr int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }
constexpr size_t float_bytes(int64_t floats) { return static_cast<size_t>(floats) * sizeof(float); }

}  // namespace convoy
