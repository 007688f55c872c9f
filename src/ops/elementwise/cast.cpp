#include "ops/elementwise/cast.h"

#include "base/error.h"
#include "kernels/cast.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct Attrs {
  DType to;
};

std::string describe(const Node& n) { return std::string(name(n.attrs<Attrs>().to)); }

bool floating(DType t) { return t == DType::f32 || is_narrow(t); }

Types infer(const Node& n, std::span<const TensorType> in) {
  const DType to = n.attrs<Attrs>().to;
  const bool direct = in[0].dtype == DType::f32 || to == DType::f32 || in[0].dtype == to;
  if (!floating(in[0].dtype) || !floating(to) || !direct) {
    raise(Fault::usage, "no cast from {} to {}", name(in[0].dtype), name(to));
  }
  return {{in[0].shape, to}};
}

template <class T>
std::unique_ptr<Kernel> copy(const KernelSite& site) {
  return unary_kernel<T>(site, [](const T* x, T* y, int64_t n) { std::copy_n(x, n, y); });
}

std::unique_ptr<Kernel> kernel(const Node&, const KernelSite& site) {
  const DType from = site.in[0].dtype, to = site.out[0].dtype;
  if (from == to) {
    return by_storage(site.in[0], [&]<class T>() { return copy<T>(site); });
  }
  if (to == DType::bf16) {
    return unary_kernel<float, Bf16>(
        site, [](const float* x, Bf16* y, int64_t n) { kernels::f32_to_bf16(x, &y->bits, n); });
  }
  if (to == DType::f16) {
    return unary_kernel<float, F16>(
        site, [](const float* x, F16* y, int64_t n) { kernels::f32_to_f16(x, &y->bits, n); });
  }
  if (from == DType::bf16) {
    return unary_kernel<Bf16, float>(
        site, [](const Bf16* x, float* y, int64_t n) { kernels::bf16_to_f32(&x->bits, y, n); });
  }
  return unary_kernel<F16, float>(
      site, [](const F16* x, float* y, int64_t n) { kernels::f16_to_f32(&x->bits, y, n); });
}

// Between two 16-bit types the value is converted through fp32.
FormChoice forms(const Node& n, std::span<const TensorType> offered) {
  FormChoice choice = all_alike(n, offered);
  const DType from = offered[0].dtype, to = n.attrs<Attrs>().to;
  if (to == DType::f32 || to == from) choice.in[0].dtype = from;
  return choice;
}

// The gradient has the storage type of the value; rounding counts as the identity.
Values grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {cast(b, d[0], b.type(n.in[0]).dtype)};
}

const OpDef cast_def{.name = "cast",
                     .infer = infer,
                     .grad = grad,
                     .kernel = kernel,
                     .forms = forms,
                     .narrowing = Narrowing::follows,
                     .describe = describe};

}  // namespace

Value cast(Builder& b, Value x, DType to) {
  const Node& maker = b.graph().producer(x);
  const bool widened = maker.op == &cast_def && b.type(x).dtype == DType::f32;
  if (widened && is_narrow(to) && b.type(maker.in[0]).dtype == to) return maker.in[0];
  return b.emit(cast_def, {x}, Attrs{to});
}

OpFamily cast_ops() { return {.ops = {&cast_def}}; }

}  // namespace convoy::ops
