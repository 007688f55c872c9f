#include "ops/conv/pack_weights.h"

#include <algorithm>
#include <array>

#include "kernels/transpose.h"
#include "tensor/isa.h"

namespace convoy::ops {
namespace {

constexpr int64_t most_lanes = 16;
constexpr int64_t most_vectors = 288;  // of one pass through the L1 cache

// Whether the terms [first, first + count) are `step` apart.
bool in_steps(std::span<const int64_t> terms, int64_t first, int64_t count, int64_t step) {
  if (first + count > ssize(terms)) return false;
  for (int64_t j = 1; j < count; ++j) {
    if (terms[size_t(first + j)] != terms[size_t(first)] + j * step) return false;
  }
  return true;
}

bool all_in_steps(std::span<const int64_t> terms, int64_t count, int64_t step) {
  if (ssize(terms) % count != 0) return false;
  for (int64_t first = 0; first < ssize(terms); first += count) {
    if (!in_steps(terms, first, count, step)) return false;
  }
  return true;
}

// The weights of one task.
class Packer {
 public:
  Packer(const WeightPacking& packing, int task)
      : out_(packing.by_out()),
        in_(packing.by_in()),
        positions_(packing.by_position()),
        first_(task * WeightPacking::channels_per_task),
        last_(std::min(first_ + WeightPacking::channels_per_task, ssize(out_))),
        window_(ssize(positions_)),
        row_(ssize(in_) * window_),
        pairs_(packing.type() == DType::bf16 ? 2 : 1) {}

  // Vectors of neighbouring output channels; pairs are of input channels.
  bool has_output_vectors() const {
    if ((last_ - first_) % block_ != 0 || window_ * pairs_ > most_vectors) return false;
    for (int64_t o = first_; o < last_; o += block_) {
      if (!in_steps(out_, o, block_, pairs_)) return false;
    }
    return all_in_steps(in_, pairs_, 1);
  }
  // Vectors of neighbouring input channels; pairs are of output channels. Alone and for larger
  // windows they are slower than one by one.
  bool has_input_vectors() const {
    if (pairs_ == 1 && window_ > 1) return false;
    if ((last_ - first_) % pairs_ != 0 || window_ > most_vectors / 2) return false;
    for (int64_t o = first_; o < last_; o += pairs_) {
      if (!in_steps(out_, o, pairs_, 1)) return false;
    }
    return all_in_steps(in_, block_, pairs_);
  }

  void pack_output_vectors(const float* plain, std::byte* packed) const {
    alignas(64) std::array<float, most_vectors * most_lanes> vectors;
    const int64_t piece = most_vectors / window_ / pairs_ * pairs_;
    for (int64_t o = first_; o < last_; o += block_) {
      for (int64_t c = 0; c < ssize(in_); c += piece) {
        const int64_t count = std::min(piece, ssize(in_) - c);
        kernels::transpose({block_, count * window_, block_, row_, block_},
                           plain + o * row_ + c * window_, vectors.data());
        for (int64_t i = 0; i < count; i += pairs_) {
          const float* from = vectors.data() + i * window_ * block_;
          put(from, from + window_ * block_, out_[size_t(o)] + in_[size_t(c + i)], packed);
        }
      }
    }
  }

  void pack_input_vectors(const float* plain, std::byte* packed) const {
    alignas(64) std::array<float, most_vectors * most_lanes> vectors;
    for (int64_t o = first_; o < last_; o += pairs_) {
      for (int64_t c = 0; c < ssize(in_); c += block_) {
        const float* from = plain + o * row_ + c * window_;
        const float* a = from;
        const float* b = from + row_;
        if (window_ > 1) {
          float* second = vectors.data() + window_ * block_;
          const kernels::Transpose lanes{block_, window_, block_, window_, block_};
          kernels::transpose(lanes, a, vectors.data());
          if (pairs_ == 2) kernels::transpose(lanes, b, second);
          a = vectors.data();
          b = second;
        }
        put(a, b, out_[size_t(o)] + in_[size_t(c)], packed);
      }
    }
  }

  void unpack_output_vectors(const float* packed, float* plain) const {
    alignas(64) std::array<float, most_lanes * most_lanes> vectors;
    for (int64_t o = first_; o < last_; o += block_) {
      const float* from = packed + out_[size_t(o)];
      float* to = plain + o * row_;
      int64_t i = 0, k = 0;  // of the next vector
      for (int64_t n = 0; n < row_; n += block_) {
        const int64_t count = std::min(block_, row_ - n);
        for (int64_t v = 0; v < count; ++v) {
          std::copy_n(from + in_[size_t(i)] + positions_[size_t(k)], block_,
                      vectors.data() + v * block_);
          if (++k == window_) ++i, k = 0;
        }
        if (count == block_) {
          kernels::transpose({block_, block_, block_, block_, row_}, vectors.data(), to + n);
          continue;
        }
        for (int64_t v = 0; v < count; ++v) {
          for (int64_t lane = 0; lane < block_; ++lane)
            to[lane * row_ + n + v] = vectors[size_t(v * block_ + lane)];
        }
      }
    }
  }

 private:
  // A vector, or a pair of them, for each position.
  void put(const float* a, const float* b, int64_t at, std::byte* packed) const {
    if (pairs_ == 2) {
      kernels::interleave_bf16(a, b, block_, window_, positions_.data(),
                               reinterpret_cast<Bf16*>(packed) + at);
      return;
    }
    for (int64_t k = 0; k < window_; ++k) {
      std::copy_n(a + k * block_, block_,
                  reinterpret_cast<float*>(packed) + at + positions_[size_t(k)]);
    }
  }

  std::span<const int64_t> out_, in_, positions_;
  int64_t first_, last_, window_, row_;
  int64_t pairs_;  // 2: neighbours in memory are pairs of bf16
  int64_t block_ = channel_block();
};

}  // namespace

void pack_weights(const WeightPacking& packing, int task, const float* plain, std::byte* packed) {
  const Packer packer(packing, task);
  if (packer.has_output_vectors()) return packer.pack_output_vectors(plain, packed);
  if (packer.has_input_vectors()) return packer.pack_input_vectors(plain, packed);
  packing.pack(task, plain, packed);
}

void unpack_weights(const WeightPacking& packing, int task, const float* packed, float* plain) {
  const Packer packer(packing, task);
  if (packer.has_output_vectors()) return packer.unpack_output_vectors(packed, plain);
  packing.unpack(task, packed, plain);
}

}  // namespace convoy::ops
