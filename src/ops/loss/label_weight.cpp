// Class weights as in Keras's class_weight: the mean is over samples, not over weights, so a batch
// of rare classes has a larger gradient.

#include "ops/loss/label_weight.h"

#include "base/error.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in.first(1));
  if (in[0].shape.rank() != 1 || in[1].shape != in[0].shape || in[1].dtype != DType::s32) {
    raise(Fault::usage, "labels {} do not fit losses {}", to_string(in[1]), to_string(in[0]));
  }
  return {{in[0].shape}};
}

std::unique_ptr<Kernel> weigh(const Node& n, const KernelSite& site) {
  const ClassWeights weights = n.attrs<ClassWeights>();
  const int64_t count = site.in[0].shape.count();
  const auto losses = site.input<float>(0);
  const auto labels = site.input<int32_t>(1);
  const auto weighted = site.output<float>(0);
  return one_phase(1, [=](int, const KernelArgs& args) {
    for (int64_t i = 0; i < count; ++i) {
      const auto label = static_cast<size_t>(labels(args)[i]);
      expect(label < weights->size(), "a label without a weight");
      weighted(args)[i] = losses(args)[i] * (*weights)[label];
    }
  });
}

extern const OpDef weigh_def;

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  return {b.emit(weigh_def, {d_out[0], n.in[1]}, n.attrs<ClassWeights>()), {}};
}

const OpDef weigh_def{.name = "weigh_by_label", .infer = infer, .grad = grad, .kernel = weigh};

}  // namespace

Value weigh_by_label(Builder& b, Value per_sample, Value label, ClassWeights weights) {
  return b.emit(weigh_def, {per_sample, label}, std::move(weights));
}

OpFamily label_weight_ops() { return {.ops = {&weigh_def}}; }

}  // namespace convoy::ops
