// The norm is that of PyTorch's clip_grad_norm_: over all parameters, with 1e-6 added in the
// divisor. It becomes a factor of the gradients' scale, which saves a pass over the gradients. It
// is summed chunk by chunk in the order of the layout, independent of threads and processes.

#include "train/update/clipping.h"

#include <cmath>

#include "base/error.h"
#include "kernels/sums.h"
#include "kernels/updates.h"
#include "tensor/kernel.h"
#include "train/update/chunk_numbers.h"

namespace convoy {
namespace {

struct ClipAttrs {
  float limit;
  std::vector<UpdateChunk> chunks;
};

// The output of both ops is the new scale.
Types infer_scale(const Node&, std::span<const TensorType>) { return {{{}}}; }

// in: grads
void sum_squares(const UpdateChunk& chunk, const ChunkInputs& in, double* sum) {
  *sum = kernels::sum_of_squares(in[0] + chunk.offset, chunk.count);
}

// in: grad_scale, sums of squares of each chunk
std::unique_ptr<Kernel> norm_kernel(const Node& n, const KernelSite& site) {
  const ClipAttrs a = n.attrs<ClipAttrs>();
  const auto grad_scale = site.input<float>(0);
  const auto of_chunks = site.input<double>(1);
  const auto clipped = site.output<float>(0);
  return one_phase(1, [=](int, const KernelArgs& args) {
    const double* sums = of_chunks(args);
    double squares = 0;
    for (size_t i = 0; i < a.chunks.size(); ++i) squares += sums[i];
    const double scale = grad_scale(args)[0];
    const double factor = static_cast<double>(a.limit) / (scale * std::sqrt(squares) + 1e-6);
    clipped(args)[0] = static_cast<float>(factor < 1 ? scale * factor : scale);
  });
}

// in: grads, grad_scale. Gradients outside this process's share are not complete yet and not used.
std::unique_ptr<Kernel> value_kernel(const Node& n, const KernelSite& site) {
  const ClipAttrs a = n.attrs<ClipAttrs>();
  const auto grads = site.input<float>(0), grad_scale = site.input<float>(1);
  const auto then = site.output<float>(0);
  return one_phase(std::ssize(a.chunks), [=](int task, const KernelArgs& args) {
    const UpdateChunk& chunk = a.chunks[static_cast<size_t>(task)];
    if (task == 0) then(args)[0] = 1;
    kernels::clip_values(grad_scale(args)[0], a.limit,
                         const_cast<float*>(grads(args)) + chunk.offset, chunk.count);
  });
}

const OpDef norm_def{.name = "clip_norm", .infer = infer_scale, .kernel = norm_kernel};
const OpDef value_def{.name = "clip_values", .infer = infer_scale, .kernel = value_kernel};

}  // namespace

void Clipping::describe(Fields& field) {
  field("clip-grad-norm", norm,
        "gradients are made smaller when the norm of all of them together is above this; 0: never",
        at_least(0));
  field("clip-grad-value", value, "no element of a gradient is larger than this; 0: no limit",
        at_least(0));
  if (norm > 0 && value > 0) {
    raise(Fault::usage,
          "--clip-grad-norm and --clip-grad-value are two ways to one end; try: --clip-grad-norm "
          "alone, which keeps the gradient's direction");
  }
}

void Clipping::build(Builder& b, UpdateInputs& in, const StateLayout& layout) const {
  if (norm == 0 && value == 0) return;
  // The chunks do not depend on weight decay.
  const std::vector<UpdateChunk> chunks =
      update_chunks(layout, WeightDecay{.weight = 0}, Apart::yes);
  if (norm > 0) {
    Values args{in.grad_scale};
    for (const Value v : emit_chunk_numbers(b, in, chunks, 1, {in.grads}, sum_squares)) {
      args.push_back(v);
    }
    in.grad_scale = b.emit(norm_def, args, ClipAttrs{norm, chunks});
  } else {
    in.grad_scale = b.emit(value_def, {in.grads, in.grad_scale}, ClipAttrs{value, chunks});
  }
}

}  // namespace convoy
