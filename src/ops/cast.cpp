#include "ops/cast.h"

#include "base/error.h"
#include "kernels/cast.h"
#include "ops/family.h"
#include "ops/layout_rules.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct Attrs {
  DType to;
};

std::string describe(const Node& n) { return std::string(name(n.attrs<Attrs>().to)); }

bool floating(DType t) { return t == DType::f32 || t == DType::bf16 || t == DType::f16; }

Types infer(const Node& n, std::span<const TensorType> in) {
  const DType to = n.attrs<Attrs>().to;
  const bool one_is_f32 = in[0].dtype == DType::f32 || to == DType::f32;
  if (!floating(in[0].dtype) || !floating(to) || !one_is_f32) {
    raise(Fault::usage, "no cast from {} to {}", name(in[0].dtype), name(to));
  }
  return {{in[0].shape, to}};
}

std::unique_ptr<Kernel> kernel(const Node&, const KernelSite& site) {
  const DType from = site.in[0].dtype, to = site.out[0].dtype;
  const Chunks chunks{stored_count(site.out[0])};
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(chunks.tasks(), [=](int task, const KernelArgs& args) {
    const int64_t at = chunks.begin(task), n = chunks.length(task);
    if (from == to) {
      std::copy_n(args.input(0) + at, n, args.output(0) + at);
    } else if (to == DType::bf16) {
      kernels::f32_to_bf16(args.input(0) + at, args.output<uint16_t>(0) + at, n);
    } else if (to == DType::f16) {
      kernels::f32_to_f16(args.input(0) + at, args.output<uint16_t>(0) + at, n);
    } else if (from == DType::bf16) {
      kernels::bf16_to_f32(args.input<uint16_t>(0) + at, args.output(0) + at, n);
    } else {
      kernels::f16_to_f32(args.input<uint16_t>(0) + at, args.output(0) + at, n);
    }
  });
  return kernel;
}

// The gradient is stored as the value is: rounding passes it through.
Values grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {cast(b, d[0], b.type(n.in[0]).dtype)};
}

const OpDef cast_def{.name = "cast",
                     .infer = infer,
                     .grad = grad,
                     .kernel = kernel,
                     .layouts = all_alike,
                     .describe = describe};

}  // namespace

Value cast(Builder& b, Value x, DType to) { return b.emit(cast_def, {x}, Attrs{to}); }

}  // namespace convoy::ops

namespace convoy {

OpFamily cast_ops() { return {.ops = {&ops::cast_def}, .fusions = {}}; }

}  // namespace convoy
