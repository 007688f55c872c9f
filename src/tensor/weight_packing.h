// Converts weights to oneDNN's packed order and back. The state stores weights plain ([o, i, h, w],
// groups in front of o); kernels pack them into a blocked order. A blocked order is separable: the
// offset of an element is the sum of one term per dimension, so small tables describe it.
#pragma once

#include <cstdint>
#include <vector>

namespace convoy {

class WeightPacking {
 public:
  WeightPacking() = default;
  // The offset terms by output channel (over all groups), input channel, and position in the
  // window.
  WeightPacking(std::vector<int64_t> by_out, std::vector<int64_t> by_in,
                std::vector<int64_t> by_position, int64_t packed_floats);

  int64_t packed_floats() const { return packed_; }
  int64_t plain_floats() const;
  // Whether there are padded channels: they must be zero.
  bool has_padding() const { return packed_ != plain_floats(); }

  // A task packs some output channels; tasks write different elements.
  int tasks() const;
  void pack(int task, const float* plain, float* packed) const;
  void unpack(int task, const float* packed, float* plain) const;

 private:
  template <class Move>
  void walk(int task, const Move& move) const;

  std::vector<int64_t> by_out_, by_in_, by_position_;
  int64_t packed_ = 0;
};

}  // namespace convoy
