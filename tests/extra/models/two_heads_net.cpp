// A network of two heads on one trunk, for the task of that name.
#include "models/blocks.h"
#include "models/model.h"
#include "ops/elementwise/activation.h"
#include "ops/pooling.h"

namespace convoy {
namespace {

constexpr int64_t groups = 3;

Value network(Builder& b, const ModelInput& in) {
  Value x = ops::relu(b, norm(b, "bn1", conv(b, "conv1", in.image, {.out = 12, .stride = 2})));
  b.expose_stage(x);
  x = ops::global_avg_pool(b, x);
  b.expose("group", linear(b, "group", x, groups));
  return linear(b, "what", x, in.classes);
}

}  // namespace

ModelDef two_heads_net_model() {
  return {.family = "two_heads_net",
          .help = "a convolution and two dense layers side by side",
          .image_size = 16,
          .channels = 3,
          .classes = 2,
          .variants = {{"two_heads_net", network}},
          .task = "two_heads"};
}

}  // namespace convoy
