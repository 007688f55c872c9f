// Pooling, plane by plane in the blocked layout. Max pooling stores the position of the maximum
// (one byte per output), so that its gradient needs neither x nor y.

#include "ops/pooling.h"

#include <fmt/core.h>

#include "base/error.h"
#include "kernels/elementwise.h"
#include "kernels/pool.h"
#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "tensor/isa.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct Attrs {
  int64_t size, stride;
  Padding padding;  // explicit
  bool count_padding;
  Shape x;
};

Shape out_shape(const Attrs& a) {
  const auto out = [&](int64_t in, int64_t before, int64_t after) {
    return (in + before + after - a.size) / a.stride + 1;
  };
  return {a.x[0], a.x[1], out(a.x[2], a.padding.top, a.padding.bottom),
          out(a.x[3], a.padding.left, a.padding.right)};
}

std::string describe(const Node& n) {
  const Attrs& a = n.attrs<Attrs>();
  return fmt::format("{}x{} stride {} pad {},{},{},{}", a.size, a.size, a.stride, a.padding.top,
                     a.padding.left, a.padding.bottom, a.padding.right);
}

Shape checked_shape(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  const Attrs& a = n.attrs<Attrs>();
  const Padding& p = a.padding;
  // A window entirely outside the image would have no maximum.
  const bool fits = in[0].shape.rank() == 4 && a.size <= 16 &&
                    std::max({p.top, p.left, p.bottom, p.right}) < a.size &&
                    a.x[2] + p.top + p.bottom >= a.size && a.x[3] + p.left + p.right >= a.size;
  if (!fits) {
    raise(Fault::usage, "pooling {} with a {}x{} window makes no sense; try: a larger --image-size",
          to_string(in[0].shape), a.size, a.size);
  }
  return out_shape(a);
}

Types infer_max(const Node& n, std::span<const TensorType> in) {
  const Shape y = checked_shape(n, in);
  return {{y, in[0].dtype}, {y, DType::u8}};
}
Types infer_avg(const Node& n, std::span<const TensorType> in) {
  return {{checked_shape(n, in), in[0].dtype}};
}
Types infer_grad(const Node& n, std::span<const TensorType> in) {
  return {{n.attrs<Attrs>().x, in[0].dtype}};
}

// Runs body(plane geometry, offset of the plane in x, in y, args) for every plane.
template <class Body>
std::unique_ptr<Kernel> by_planes(const Attrs& a, const Body& body) {
  const Shape y = out_shape(a);
  const kernels::PoolPlane plane{.in_h = a.x[2],
                                 .in_w = a.x[3],
                                 .out_h = y[2],
                                 .out_w = y[3],
                                 .size_h = a.size,
                                 .size_w = a.size,
                                 .stride = a.stride,
                                 .pad_top = a.padding.top,
                                 .pad_left = a.padding.left,
                                 .block = channel_block()};
  return one_phase(a.x[0] * divide_up(a.x[1], plane.block), [=](int task, const KernelArgs& args) {
    body(plane, task * plane.in_h * plane.in_w * plane.block,
         task * plane.out_h * plane.out_w * plane.block, args);
  });
}

template <class T>
std::unique_ptr<Kernel> max_kernel(const Node& n, const KernelSite& site) {
  const auto in = site.input<T>(0);
  const auto out = site.output<T>(0);
  const auto where = site.output<uint8_t>(1);
  return by_planes(n.attrs<Attrs>(),
                   [=](const kernels::PoolPlane& p, int64_t x, int64_t y, const KernelArgs& args) {
                     kernels::max_pool(p, in(args) + x, out(args) + y, where(args) + y);
                   });
}
// in: d_y, where
template <class T>
std::unique_ptr<Kernel> max_grad_kernel(const Node& n, const KernelSite& site) {
  const auto d_y = site.input<T>(0);
  const auto where = site.input<uint8_t>(1);
  const auto d_x = site.output<T>(0);
  return by_planes(n.attrs<Attrs>(),
                   [=](const kernels::PoolPlane& p, int64_t x, int64_t y, const KernelArgs& args) {
                     kernels::max_pool_grad(p, d_y(args) + y, where(args) + y, d_x(args) + x);
                   });
}
template <class T>
std::unique_ptr<Kernel> avg_kernel(const Node& n, const KernelSite& site) {
  const bool count = n.attrs<Attrs>().count_padding;
  const auto in = site.input<T>(0);
  const auto out = site.output<T>(0);
  return by_planes(n.attrs<Attrs>(),
                   [=](const kernels::PoolPlane& p, int64_t x, int64_t y, const KernelArgs& args) {
                     kernels::avg_pool(p, count, in(args) + x, out(args) + y);
                   });
}
template <class T>
std::unique_ptr<Kernel> avg_grad_kernel(const Node& n, const KernelSite& site) {
  const bool count = n.attrs<Attrs>().count_padding;
  const auto d_y = site.input<T>(0);
  const auto d_x = site.output<T>(0);
  return by_planes(n.attrs<Attrs>(),
                   [=](const kernels::PoolPlane& p, int64_t x, int64_t y, const KernelArgs& args) {
                     kernels::avg_pool_grad(p, count, d_y(args) + y, d_x(args) + x);
                   });
}

// The kernel column for a function of the storage type of the images.
template <auto of_floats, auto of_bf16, auto of_f16>
std::unique_ptr<Kernel> stored(const Node& n, const KernelSite& site) {
  if (site.in[0].dtype == DType::f16) return of_f16(n, site);
  return site.in[0].dtype == DType::bf16 ? of_bf16(n, site) : of_floats(n, site);
}

const OpDef max_grad_def{
    .name = "max_pool_grad",
    .infer = infer_grad,
    .kernel = stored<max_grad_kernel<float>, max_grad_kernel<Bf16>, max_grad_kernel<F16>>,
    .forms = stored_as<blocked_images>,
    .narrowing = Narrowing::follows,
    .describe = describe};
const OpDef avg_grad_def{
    .name = "avg_pool_grad",
    .infer = infer_grad,
    .kernel = stored<avg_grad_kernel<float>, avg_grad_kernel<Bf16>, avg_grad_kernel<F16>>,
    .forms = stored_as<blocked_images>,
    .narrowing = Narrowing::follows,
    .describe = describe};

Values max_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(max_grad_def, {d[0], n.out[1]}, n.attrs<Attrs>())};
}
Values avg_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(avg_grad_def, {d[0]}, n.attrs<Attrs>())};
}

const OpDef max_def{.name = "max_pool",
                    .infer = infer_max,
                    .grad = max_grad,
                    .kernel = stored<max_kernel<float>, max_kernel<Bf16>, max_kernel<F16>>,
                    .forms = stored_as<blocked_images>,
                    .narrowing = Narrowing::follows,
                    .describe = describe};
const OpDef avg_def{.name = "avg_pool",
                    .infer = infer_avg,
                    .grad = avg_grad,
                    .kernel = stored<avg_kernel<float>, avg_kernel<Bf16>, avg_kernel<F16>>,
                    .forms = stored_as<blocked_images>,
                    .narrowing = Narrowing::follows,
                    .describe = describe};

// Global average: [n, c, h, w] blocked -> [n, c] plain.

Types infer_global(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  if (in[0].shape.rank() != 4)
    raise(Fault::usage, "global pooling needs images, not {}", to_string(in[0].shape));
  return {{{in[0].shape[0], in[0].shape[1]}, in[0].dtype}};
}
template <class T>
std::unique_ptr<Kernel> global_kernel(const Node&, const KernelSite& site) {
  const Shape x = site.in[0].shape;
  const int64_t block = channel_block(), blocks = divide_up(x[1], block), pixels = x[2] * x[3];
  const auto in = site.input<T>(0);
  const auto out = site.output<T>(0);
  return one_phase(x[0] * blocks, [=](int task, const KernelArgs& args) {
    const int64_t first = task % blocks * block, count = std::min(block, x[1] - first);
    float sum[16];
    kernels::sum_rows(in(args) + task * pixels * block, sum, pixels, block);
    T* y = out(args) + task / blocks * x[1] + first;
    for (int64_t c = 0; c < count; ++c) y[c] = rounded_to<T>(sum[c] / static_cast<float>(pixels));
  });
}

// From: storage type of d_y; To: of d_x.
template <class From, class To>
std::unique_ptr<Kernel> global_grad_of(const KernelSite& site) {
  const Shape x = site.out[0].shape;
  const int64_t block = channel_block(), blocks = divide_up(x[1], block), pixels = x[2] * x[3];
  const auto in = site.input<From>(0);
  const auto out = site.output<To>(0);
  return one_phase(x[0] * blocks, [=](int task, const KernelArgs& args) {
    const int64_t first = task % blocks * block, count = std::min(block, x[1] - first);
    const From* d_y = in(args) + task / blocks * x[1] + first;
    To share[16] = {};
    for (int64_t c = 0; c < count; ++c)
      share[c] = rounded_to<To>(widened(d_y[c]) / static_cast<float>(pixels));
    To* d_x = out(args) + task * pixels * block;
    for (int64_t p = 0; p < pixels; ++p) std::copy_n(share, block, d_x + p * block);
  });
}

std::unique_ptr<Kernel> global_grad_kernel(const Node&, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class From>() {
    return by_storage(site.out[0], [&]<class To>() { return global_grad_of<From, To>(site); });
  });
}

// An fp32 gradient, from a loss, can be stored in bf16.
Types infer_global_grad(const Node& n, std::span<const TensorType> in) {
  return {{n.attrs<Attrs>().x, is_narrow(in[0].dtype) ? in[0].dtype : n.stores}};
}

const OpDef global_grad_def{.name = "global_avg_pool_grad",
                            .infer = infer_global_grad,
                            .kernel = global_grad_kernel,
                            .forms = stored_as<blocked_images>,
                            .narrowing = Narrowing::follows,
                            .chooses_storage = true};

Values global_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {b.emit(global_grad_def, {d[0]}, Attrs{.size = 0, .stride = 0, .x = b.shape(n.in[0])})};
}

const OpDef global_def{
    .name = "global_avg_pool",
    .infer = infer_global,
    .grad = global_grad,
    .kernel = stored<global_kernel<float>, global_kernel<Bf16>, global_kernel<F16>>,
    .forms = stored_as<blocked_images>,
    .narrowing = Narrowing::follows};

Attrs attributes(Builder& b, Value x, const PoolOptions& o) {
  const Shape& s = b.shape(x);
  if (s.rank() != 4) raise(Fault::usage, "pooling needs images, not {}", to_string(s));
  return {o.size, o.stride, resolve_padding(o.padding, s[2], s[3], o.size, o.size, o.stride),
          o.count_padding, s};
}

}  // namespace

Value max_pool(Builder& b, Value x, const PoolOptions& o) {
  return b.emit(max_def, {x}, attributes(b, x, o));
}
Value avg_pool(Builder& b, Value x, const PoolOptions& o) {
  return b.emit(avg_def, {x}, attributes(b, x, o));
}
PoolOptions pool_options(const Node& n) {
  const Attrs& a = n.attrs<Attrs>();
  return {a.size, a.stride, a.padding, a.count_padding};
}

Value global_avg_pool(Builder& b, Value x) { return b.emit(global_def, {x}); }

OpFamily pooling_ops() {
  return {.ops = {&max_def, &max_grad_def, &avg_def, &avg_grad_def, &global_def, &global_grad_def}};
}

}  // namespace convoy::ops
