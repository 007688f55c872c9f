#include "support/small_net.h"

#include "ops/conv/convolution.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/dropout.h"
#include "ops/linear.h"
#include "ops/loss/cross_entropy.h"
#include "ops/norm/batch_norm.h"
#include "ops/pooling.h"
#include "ops/shortcut.h"

namespace convoy::test {
namespace {

Value conv_norm(Builder& b, Value x, int64_t channels, int64_t window, int64_t stride,
                const char* name) {
  const auto scope = b.scope(name);
  const Value w =
      b.param("weight", {channels, b.shape(x)[1], window, window}, {Init::Kind::normal, 0.1f});
  const Value y =
      ops::convolution(b, x, w, {.stride = stride, .padding = ops::Padding::all(window / 2)});
  return ops::batch_norm(b, y,
                         {b.param("gamma", {channels}, {Init::Kind::ones}, false),
                          b.param("beta", {channels}, {}, false), b.stat("mean", {channels}, 0),
                          b.stat("variance", {channels}, 1)});
}

}  // namespace

SmallNet small_net(Builder& b, int64_t batch, int64_t size, int64_t width) {
  const Value image = b.input("image", {{batch, 3, size, size}});
  const Value label = b.input("label", {{batch}, DType::s32});
  Value x = ops::relu(b, conv_norm(b, image, width, 3, 1, "stem"));
  // Identity, subsampling and projection shortcuts.
  Value y = ops::relu(b, conv_norm(b, x, width, 3, 1, "a1"));
  x = ops::relu(b, ops::add(b, conv_norm(b, y, width, 3, 1, "a2"), x));
  y = ops::relu(b, conv_norm(b, x, 2 * width, 3, 2, "b1"));
  x = ops::relu(b, ops::add(b, conv_norm(b, y, 2 * width, 3, 1, "b2"),
                            ops::subsample_shortcut(b, x, 2 * width, 2)));
  y = ops::relu(b, conv_norm(b, x, width, 1, 1, "c1"));
  y = ops::relu(b, conv_norm(b, y, width, 3, 2, "c2"));
  x = ops::relu(b, ops::add(b, conv_norm(b, y, 4 * width, 1, 1, "c3"),
                            conv_norm(b, x, 4 * width, 1, 2, "c4")));
  x = ops::max_pool(b, x, {.size = 3, .stride = 2, .padding = ops::Padding::all(1)});
  x = ops::global_avg_pool(b, x);
  SmallNet net;
  if (b.train()) {
    const Value key = b.input("key", {{batch}, DType::s64});
    x = ops::dropout(b, x, key, 0.1f, 1);
    net.loss_scale = b.input("loss_scale", {Shape{}});
  }
  const Value logits =
      ops::linear(b, x, b.param("fc.weight", {10, 4 * width}, {Init::Kind::uniform, 0.1f}),
                  b.param("fc.bias", {10}, {}, false));
  net.loss = ops::softmax_cross_entropy(b, logits, label, {.smoothing = 0.1f});
  b.output("logits", logits);
  b.output("loss", net.loss);
  b.output("rank", ops::label_rank(b, logits, label));
  return net;
}

}  // namespace convoy::test
