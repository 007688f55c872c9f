#include "ops/pad.h"

#include <fmt/core.h>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "ops/layout_rules.h"
#include "tensor/isa.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct Attrs {
  Padding padding;
  Shape x;
};

std::string describe(const Node& n) {
  const Padding& p = n.attrs<Attrs>().padding;
  return fmt::format("{},{},{},{}", p.top, p.left, p.bottom, p.right);
}

Shape out_shape(const Attrs& a) {
  return {a.x[0], a.x[1], a.x[2] + a.padding.top + a.padding.bottom,
          a.x[3] + a.padding.left + a.padding.right};
}

Types infer(const Node& n, std::span<const TensorType> in) {
  need_f32(n, in);
  const Padding& p = n.attrs<Attrs>().padding;
  if (in[0].shape.rank() != 4 || std::min({p.top, p.left, p.bottom, p.right}) < 0)
    raise(Fault::usage, "padding {} makes no sense", to_string(in[0].shape));
  return {{out_shape(n.attrs<Attrs>())}};
}
Types infer_grad(const Node& n, std::span<const TensorType>) { return {{n.attrs<Attrs>().x}}; }

// Calls row(plane of the small image, of the large one, row of the small one, offset in the large
// plane) for each row of the small image.
template <class Row>
std::unique_ptr<Kernel> by_rows(const Attrs& a, bool clear, const Row& row) {
  const Shape y = out_shape(a);
  const int64_t block = channel_block(), small = a.x[2] * a.x[3] * block;
  const int64_t large = y[2] * y[3] * block, width = a.x[3] * block;
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(a.x[0] * divide_up(a.x[1], block), [=](int task, const KernelArgs& args) {
    if (clear) std::fill_n(args.output(0) + task * large, large, 0.0f);
    for (int64_t h = 0; h < a.x[2]; ++h) {
      const int64_t at = ((h + a.padding.top) * y[3] + a.padding.left) * block;
      row(args, task * small + h * width, task * large + at, width);
    }
  });
  return kernel;
}

std::unique_ptr<Kernel> forward(const Node& n, const KernelSite&) {
  return by_rows(n.attrs<Attrs>(), true,
                 [](const KernelArgs& args, int64_t small, int64_t large, int64_t width) {
                   std::copy_n(args.input(0) + small, width, args.output(0) + large);
                 });
}
std::unique_ptr<Kernel> backward(const Node& n, const KernelSite&) {
  return by_rows(n.attrs<Attrs>(), false,
                 [](const KernelArgs& args, int64_t small, int64_t large, int64_t width) {
                   std::copy_n(args.input(0) + large, width, args.output(0) + small);
                 });
}

const OpDef grad_def{.name = "pad_grad",
                     .infer = infer_grad,
                     .kernel = backward,
                     .layouts = blocked_images,
                     .describe = describe};

Values grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(grad_def, {d[0]}, n.attrs<Attrs>())};
}

const OpDef pad_def{.name = "pad",
                    .infer = infer,
                    .grad = grad,
                    .kernel = forward,
                    .layouts = blocked_images,
                    .describe = describe};

}  // namespace

Value pad(Builder& b, Value x, const Padding& padding) {
  return b.emit(pad_def, {x}, Attrs{padding, b.shape(x)});
}

Padding pad_padding(const Node& n) { return n.attrs<Attrs>().padding; }

}  // namespace convoy::ops

namespace convoy {

OpFamily pad_ops() { return {.ops = {&ops::pad_def, &ops::grad_def}, .fusions = {}}; }

}  // namespace convoy
