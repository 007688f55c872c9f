#include "ops/shortcut.h"

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
  int64_t channels, stride;
  Shape x;
};

std::string describe(const Node& n) {
  return fmt::format("channels {} stride {}", n.attrs<Attrs>().channels, n.attrs<Attrs>().stride);
}

Shape out_shape(const Attrs& a) {
  return {a.x[0], a.channels, divide_up(a.x[2], a.stride), divide_up(a.x[3], a.stride)};
}

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  const Attrs& a = n.attrs<Attrs>();
  if (in[0].shape.rank() != 4 || a.channels < in[0].shape[1]) {
    raise(Fault::usage, "a shortcut from {} cannot have {} channels", to_string(in[0].shape),
          a.channels);
  }
  return {{out_shape(a), in[0].dtype}};
}

Types infer_grad(const Node& n, std::span<const TensorType> in) {
  return {{n.attrs<Attrs>().x, in[0].dtype}};
}

struct Geometry {
  int64_t block = channel_block(), in_blocks, out_blocks, ih, iw, oh, ow, stride;

  explicit Geometry(const Attrs& a)
      : in_blocks(divide_up(a.x[1], block)),
        out_blocks(divide_up(a.channels, block)),
        ih(a.x[2]),
        iw(a.x[3]),
        oh(out_shape(a)[2]),
        ow(out_shape(a)[3]),
        stride(a.stride) {}
};

// Padded channels of x are zero, so whole blocks can be copied.
template <class T>
std::unique_ptr<Kernel> forward_in(const Node& n, const KernelSite& site) {
  const Geometry g(n.attrs<Attrs>());
  const auto in = site.input<T>(0);
  const auto out = site.output<T>(0);
  return one_phase(n.attrs<Attrs>().x[0] * g.out_blocks, [=](int task, const KernelArgs& args) {
    T* y = out(args) + task * g.oh * g.ow * g.block;
    const int64_t image = task / g.out_blocks, block = task % g.out_blocks;
    if (block >= g.in_blocks) {
      std::fill_n(y, g.oh * g.ow * g.block, T{});
      return;
    }
    const T* x = in(args) + (image * g.in_blocks + block) * g.ih * g.iw * g.block;
    for (int64_t h = 0; h < g.oh; ++h) {
      for (int64_t w = 0; w < g.ow; ++w, y += g.block) {
        std::copy_n(x + (h * g.stride * g.iw + w * g.stride) * g.block, g.block, y);
      }
    }
  });
}

template <class T>
std::unique_ptr<Kernel> backward_in(const Node& n, const KernelSite& site) {
  const Geometry g(n.attrs<Attrs>());
  const auto in = site.input<T>(0);
  const auto out = site.output<T>(0);
  const int64_t channels = n.attrs<Attrs>().x[1];
  return one_phase(n.attrs<Attrs>().x[0] * g.in_blocks, [=](int task, const KernelArgs& args) {
    T* d_x = out(args) + task * g.ih * g.iw * g.block;
    std::fill_n(d_x, g.ih * g.iw * g.block, T{});
    const int64_t image = task / g.in_blocks, block = task % g.in_blocks;
    const int64_t count = std::min(g.block, channels - block * g.block);
    const T* d_y = in(args) + (image * g.out_blocks + block) * g.oh * g.ow * g.block;
    for (int64_t h = 0; h < g.oh; ++h) {
      for (int64_t w = 0; w < g.ow; ++w, d_y += g.block) {
        std::copy_n(d_y, count, d_x + (h * g.stride * g.iw + w * g.stride) * g.block);
      }
    }
  });
}

std::unique_ptr<Kernel> forward(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return forward_in<T>(n, site); });
}
std::unique_ptr<Kernel> backward(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return backward_in<T>(n, site); });
}

const OpDef grad_def{.name = "subsample_shortcut_grad",
                     .infer = infer_grad,
                     .kernel = backward,
                     .forms = stored_as<blocked_images>,
                     .narrowing = Narrowing::follows,
                     .describe = describe};

Values grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(grad_def, {d[0]}, n.attrs<Attrs>())};
}

const OpDef shortcut_def{.name = "subsample_shortcut",
                         .infer = infer,
                         .grad = grad,
                         .kernel = forward,
                         .forms = stored_as<blocked_images>,
                         .narrowing = Narrowing::follows,
                         .describe = describe};

}  // namespace

Value subsample_shortcut(Builder& b, Value x, int64_t channels, int64_t stride) {
  return b.emit(shortcut_def, {x}, Attrs{channels, stride, b.shape(x)});
}

int64_t subsample_stride(const Node& n) { return n.attrs<Attrs>().stride; }

OpFamily shortcut_ops() { return {.ops = {&shortcut_def, &grad_def}}; }

}  // namespace convoy::ops
