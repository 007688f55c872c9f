// Converts weights to oneDNN's packed order and back. The state stores weights plain ([o, i, h, w],
// groups in front of o); kernels pack them into a blocked order. A blocked order is separable: the
// offset of an element is the sum of one term per dimension, so small tables describe it. Packed
// weights may be bf16: each is rounded to the nearest one when it is packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/shape.h"

namespace convoy {

class WeightPacking {
 public:
  WeightPacking() = default;
  // The offset terms by output channel (over all groups), input channel, and position in the
  // window.
  WeightPacking(std::vector<int64_t> by_out, std::vector<int64_t> by_in,
                std::vector<int64_t> by_position, int64_t packed_count, DType type = DType::f32);

  int64_t packed_count() const { return packed_; }
  int64_t plain_count() const;
  DType type() const { return type_; }  // of packed weights: f32 or bf16
  size_t packed_bytes() const { return static_cast<size_t>(packed_) * bytes_per_element(type_); }
  // Whether there are padded channels: they must be zero.
  bool has_padding() const { return packed_ != plain_count(); }

  // The terms, by output channel, input channel and position.
  std::span<const int64_t> by_out() const { return by_out_; }
  std::span<const int64_t> by_in() const { return by_in_; }
  std::span<const int64_t> by_position() const { return by_position_; }

  // A task packs some output channels; tasks write different elements.
  static constexpr int64_t channels_per_task = 16;
  int tasks() const;
  void pack(int task, const float* plain, std::byte* packed) const;
  void unpack(int task, const float* packed, float* plain) const;

 private:
  template <class Move>
  void walk(int task, const Move& move) const;

  std::vector<int64_t> by_out_, by_in_, by_position_;
  int64_t packed_ = 0;
  DType type_ = DType::f32;
};

}  // namespace convoy
