#include "tensor/weight_packing.h"

#include <algorithm>

#include "tensor/number_types.h"

namespace convoy {

WeightPacking::WeightPacking(std::vector<int64_t> by_out, std::vector<int64_t> by_in,
                             std::vector<int64_t> by_position, int64_t packed_count, DType type)
    : by_out_(std::move(by_out)),
      by_in_(std::move(by_in)),
      by_position_(std::move(by_position)),
      packed_(packed_count),
      type_(type) {}

int64_t WeightPacking::plain_count() const {
  return static_cast<int64_t>(by_out_.size() * by_in_.size() * by_position_.size());
}

int WeightPacking::tasks() const {
  return static_cast<int>((static_cast<int64_t>(by_out_.size()) + channels_per_task - 1) /
                          channels_per_task);
}

// Calls move(offset in plain, offset in packed). The output channel is the inner loop: it is the
// fastest dimension of most packed layouts, and the prefetcher handles 16 read streams.
template <class Move>
void WeightPacking::walk(int task, const Move& move) const {
  const int64_t first = task * channels_per_task;
  const int64_t last =
      std::min<int64_t>(first + channels_per_task, static_cast<int64_t>(by_out_.size()));
  const auto positions = static_cast<int64_t>(by_position_.size());
  const int64_t row = static_cast<int64_t>(by_in_.size()) * positions;
  for (size_t i = 0; i < by_in_.size(); ++i) {
    for (size_t k = 0; k < by_position_.size(); ++k) {
      const int64_t plain = static_cast<int64_t>(i) * positions + static_cast<int64_t>(k);
      const int64_t packed = by_in_[i] + by_position_[k];
      for (int64_t o = first; o < last; ++o) {
        move(o * row + plain, by_out_[static_cast<size_t>(o)] + packed);
      }
    }
  }
}

void WeightPacking::pack(int task, const float* plain, std::byte* packed) const {
  if (type_ == DType::bf16) {
    auto* to_bf16 = reinterpret_cast<Bf16*>(packed);
    walk(task, [&](int64_t from, int64_t to) { to_bf16[to] = narrowed(plain[from]); });
  } else {
    auto* floats = reinterpret_cast<float*>(packed);
    walk(task, [&](int64_t from, int64_t to) { floats[to] = plain[from]; });
  }
}

void WeightPacking::unpack(int task, const float* packed, float* plain) const {
  walk(task, [&](int64_t to, int64_t from) { plain[to] = packed[from]; });
}

}  // namespace convoy
