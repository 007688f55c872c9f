#include "ops/pad.h"

#include <fmt/core.h>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
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
  need_floats(n, in);
  const Padding& p = n.attrs<Attrs>().padding;
  if (in[0].shape.rank() != 4 || std::min({p.top, p.left, p.bottom, p.right}) < 0)
    raise(Fault::usage, "padding {} makes no sense", to_string(in[0].shape));
  return {{out_shape(n.attrs<Attrs>()), in[0].dtype}};
}
Types infer_grad(const Node& n, std::span<const TensorType> in) {
  return {{n.attrs<Attrs>().x, in[0].dtype}};
}

// Copies each row of the small image into the large one, which is zero around it, or back.
template <class T>
std::unique_ptr<Kernel> by_rows(const Attrs& a, const KernelSite& site, bool forward) {
  const Shape y = out_shape(a);
  const int64_t block = channel_block(), small = a.x[2] * a.x[3] * block;
  const int64_t large = y[2] * y[3] * block, width = a.x[3] * block;
  const auto in = site.input<T>(0);
  const auto out = site.output<T>(0);
  return one_phase(a.x[0] * divide_up(a.x[1], block), [=](int task, const KernelArgs& args) {
    if (forward) std::fill_n(out(args) + task * large, large, T{});
    for (int64_t h = 0; h < a.x[2]; ++h) {
      const int64_t at = ((h + a.padding.top) * y[3] + a.padding.left) * block;
      const int64_t in_small = task * small + h * width, in_large = task * large + at;
      std::copy_n(in(args) + (forward ? in_small : in_large), width,
                  out(args) + (forward ? in_large : in_small));
    }
  });
}

std::unique_ptr<Kernel> forward(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0],
                    [&]<class T>() { return by_rows<T>(n.attrs<Attrs>(), site, true); });
}
std::unique_ptr<Kernel> backward(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0],
                    [&]<class T>() { return by_rows<T>(n.attrs<Attrs>(), site, false); });
}

const OpDef grad_def{.name = "pad_grad",
                     .infer = infer_grad,
                     .kernel = backward,
                     .forms = stored_as<blocked_images>,
                     .narrowing = Narrowing::follows,
                     .describe = describe};

Values grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(grad_def, {d[0]}, n.attrs<Attrs>())};
}

const OpDef pad_def{.name = "pad",
                    .infer = infer,
                    .grad = grad,
                    .kernel = forward,
                    .forms = stored_as<blocked_images>,
                    .narrowing = Narrowing::follows,
                    .describe = describe};

}  // namespace

Value pad(Builder& b, Value x, const Padding& padding) {
  return b.emit(pad_def, {x}, Attrs{padding, b.shape(x)});
}

Padding pad_padding(const Node& n) { return n.attrs<Attrs>().padding; }

OpFamily pad_ops() { return {.ops = {&pad_def, &grad_def}}; }

}  // namespace convoy::ops
