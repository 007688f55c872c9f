// A family of models with options of its own: one that decides what weights mean, and one of
// training.
#include "models/blocks.h"
#include "models/model.h"
#include "ops/elementwise/dropout.h"
#include "ops/pooling.h"
#include "ops/softsign.h"

namespace convoy {
namespace {

struct Options {
  int width = 8;
  double dropped = 0;

  void describe(Fields& field) {
    field("small-width", width, "channels of small_net", between(1, 64));
    field("small-dropped", dropped, "share of small_net's features that training leaves out",
          between(0, 0.9).training_only());
  }
};

Value network(Builder& b, const ModelInput& in) {
  const auto options = in.options.read<Options>();
  Value x = norm(b, "bn1", conv(b, "conv1", in.image, {.out = options.width, .stride = 2}));
  x = ops::global_avg_pool(b, ops::softsign(b, x));
  x = ops::dropout(b, x, in.key, static_cast<float>(options.dropped), 0);
  return linear(b, "fc", x, in.classes);
}

}  // namespace

ModelDef small_net_model() {
  return {.family = "small_net",
          .help = "a convolution and a dense layer",
          .image_size = 16,
          .channels = 3,
          .classes = 2,
          .variants = {{"small_net", network}},
          .describe = describe_options<Options>};
}

}  // namespace convoy
