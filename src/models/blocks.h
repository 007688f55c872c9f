// Building blocks that models share. Parameter names are torchvision's.
#pragma once

#include <array>
#include <string_view>

#include "base/text/words.h"
#include "graph/builder.h"
#include "models/model.h"
#include "ops/conv/convolution.h"

namespace convoy {

// The initial weights of a convolution; biases start at zero.
enum class ConvStart {
  kaiming_fan_out,     // normal, deviation sqrt(2 / fan-out): torchvision
  kaiming_uniform,     // uniform, within sqrt(6 / fan-in)
  glorot_uniform,      // uniform, within sqrt(6 / (fan-in + fan-out)): Keras
  truncated_fan_in,    // truncated at two deviations, variance 1 / fan-in: TensorFlow
  truncated_2_fan_in,  // the same, variance 2 / fan-in
  truncated_2_fan_out,
};

// The initial weights of the fully connected layer.
enum class DenseStart {
  fan_in,   // weights and bias uniform within 1 / sqrt(fan-in): torchvision's ResNets
  fan_out,  // weights uniform within 1 / sqrt(fan-out), bias 0: torchvision's EfficientNets
  glorot,   // weights uniform within sqrt(6 / (fan-in + fan-out)), bias 0: Keras
  normal,   // weights normal, deviation 0.01, bias 0: Habana's Keras recipes
};

enum class NormKind { batch, group };

// Options that several families have.
enum class NormChoice { automatic, batch, group };
constexpr std::array<Word<NormChoice>, 3> words_of(NormChoice) {
  return {{{"auto", NormChoice::automatic},
           {"batch", NormChoice::batch},
           {"group", NormChoice::group}}};
}
struct NormOptions {
  NormChoice kind = NormChoice::automatic;
  int groups = 0;      // 0: the model's default
  double epsilon = 0;  // 0: the model's default

  void describe(Fields& field);
  void describe_epsilon(Fields& field);
};
struct DropoutOption {
  double rate = -1;

  void describe(Fields& field);
  float or_own(double own) const { return static_cast<float>(rate < 0 ? own : rate); }
};
struct ZeroGammaOption {
  bool on = false;  // the last gamma of each residual block starts at zero

  void describe(Fields& field);
};

// How a family builds its layers: settings in which frameworks differ for the same architecture.
struct Style {
  bool same_padding = false;  // TensorFlow's SAME instead of kernel / 2 on every side
  NormKind norm = NormKind::batch;
  int64_t norm_groups = 32;
  float batch_epsilon = 1e-5f, group_epsilon = 1e-5f;
  ConvStart conv = ConvStart::kaiming_fan_out;
  DenseStart dense = DenseStart::fan_in;

  Style with(const NormOptions& options) const;
  ops::Padding padding(int64_t kernel) const {
    return same_padding ? ops::Padding::like_tensorflow() : ops::Padding::all(kernel / 2);
  }
};

struct ConvSpec {
  int64_t out;
  int64_t kernel = 3;
  int64_t stride = 1;
  int64_t groups = 1;
  bool bias = false;
  bool valid = false;  // without padding, whatever the style says
};

Value conv(Builder& b, std::string_view name, Value x, const ConvSpec& spec,
           const Style& style = {});

// The initial weights of a 1x1 convolution, for layers that compute one in another way.
Init pointwise_init(const Style& style, int64_t in, int64_t out);

// The initial value of a block's last gamma; with zero the block starts as the identity (Goyal
// 2017).
enum class Gamma { zero, one };

// Batch or group norm; beta starts at 0.
Value norm(Builder& b, std::string_view name, Value x, const Style& style = {},
           Gamma gamma = Gamma::one);

// The fully connected layer.
Value linear(Builder& b, std::string_view name, Value x, int64_t out, const Style& style = {});

inline int64_t channels(const Builder& b, Value x) { return b.shape(x)[1]; }

}  // namespace convoy
