// Pieces that models share. Names and starting values are torchvision's.
#pragma once

#include <string_view>

#include "graph/builder.h"
#include "ops/convolution.h"

namespace convoy {

struct ConvSpec {
  int64_t out;
  int64_t kernel = 3;
  int64_t stride = 1;
  int64_t groups = 1;
};

// Convolution without bias, padded by kernel / 2 on every side; weights Kaiming-normal by fan-out.
Value conv(Builder& b, std::string_view name, Value x, const ConvSpec& spec);

// Where a block's last gamma starts: at zero the block begins as the identity (Goyal 2017).
enum class Gamma { zero, one };

// Batch norm; beta starts at 0.
Value batch_norm(Builder& b, std::string_view name, Value x, Gamma gamma = Gamma::one);

// The dense layer; weights and bias uniform within 1 / sqrt(fan-in).
Value linear(Builder& b, std::string_view name, Value x, int64_t out);

inline int64_t channels(const Builder& b, Value x) { return b.shape(x)[1]; }

}  // namespace convoy
