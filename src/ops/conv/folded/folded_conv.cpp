// The kernel is that of a convolution with a tail (conv_tail.h); before its packing phases another
// one scales the weights, in scratch memory, and writes the shift in front of the packed weights.

#include "ops/conv/folded/folded_conv.h"

#include <array>
#include <cmath>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "ops/norm/norm_planes.h"

namespace convoy::ops {
namespace {

// The positions of a node's inputs; -1: there is none.
struct Inputs {
  int added = -1, bias = -1, norm = -1;

  explicit Inputs(const FoldedConvAttrs& a) {
    int next = 2;
    if (a.adds) added = next++;
    if (a.bias) bias = next++;
    if (a.norm) norm = next;
  }
};

class FoldedConv : public Kernel {
 public:
  FoldedConv(const FoldedConvAttrs& a, const KernelSite& site)
      : inputs_(a),
        epsilon_(a.epsilon),
        channels_(a.conv.w[0]),
        row_(a.conv.w.count() / channels_),
        w_(site.input<float>(1)) {
    if (a.bias) bias_ = site.input<float>(inputs_.bias);
    if (a.norm) {
      gamma_ = site.input<float>(inputs_.norm);
      beta_ = site.input<float>(inputs_.norm + 1);
      mean_ = site.input<float>(inputs_.norm + 2);
      variance_ = site.input<float>(inputs_.norm + 3);
    }
    KernelSite inner = site;
    inner.in = {site.in[0], site.in[1], {{channel_vector(channels_)}}};
    if (a.adds) inner.in.push_back(site.in[static_cast<size_t>(inputs_.added)]);
    conv_ = convolution_forward(conv_shape(a.conv, site.in[0].dtype), inner,
                                {.shift = true, .adds = a.adds, .act = a.act});
  }

  int phases() const override { return 1 + conv_->phases(); }
  int tasks(int phase) const override {
    return phase == 0 ? static_cast<int>(divide_up(channels_, channels_per_task))
                      : conv_->tasks(phase - 1);
  }
  int packing_phases() const override { return 1 + conv_->packing_phases(); }
  size_t packed_bytes() const override { return shift_bytes() + conv_->packed_bytes(); }
  // Scaled weights are read by packing phases alone, which use no scratch themselves.
  size_t scratch_bytes() const override {
    return std::max(conv_->scratch_bytes(), gamma_ ? float_bytes(channels_ * row_) : 0);
  }
  size_t worker_scratch_bytes() const override { return conv_->worker_scratch_bytes(); }
  std::string implementation() const override { return conv_->implementation(); }
  void prepare(int workers) const override { conv_->prepare(workers); }

  void run(int phase, int task, const KernelArgs& args) const override {
    if (phase == 0) return fold(task, args);
    const bool packs = phase <= conv_->packing_phases();
    const std::array<std::byte*, 4> in{
        args.in[0], packs && gamma_ ? args.scratch : args.in[1], args.packed,
        inputs_.added < 0 ? nullptr : args.in[static_cast<size_t>(inputs_.added)]};
    KernelArgs inner = args;
    inner.in = in;
    inner.packed = args.packed + shift_bytes();
    conv_->run(phase - 1, task, inner);
  }

 private:
  static constexpr int64_t channels_per_task = 16;

  size_t shift_bytes() const {
    return static_cast<size_t>(round_up(channel_vector(channels_) * 4, 64));
  }

  void fold(int task, const KernelArgs& args) const {
    auto* shift = reinterpret_cast<float*>(args.packed);
    const int64_t first = task * channels_per_task;
    const int64_t last = std::min(first + channels_per_task, channels_);
    if (last == channels_) std::fill(shift + channels_, shift + channel_vector(channels_), 0.0f);
    for (int64_t c = first; c < last; ++c) {
      const double bias = bias_ ? double{bias_(args)[c]} : 0;
      if (!gamma_) {
        shift[c] = static_cast<float>(bias);
        continue;
      }
      const double scale = gamma_(args)[c] / std::sqrt(double{variance_(args)[c]} + epsilon_);
      shift[c] = static_cast<float>(beta_(args)[c] + (bias - mean_(args)[c]) * scale);
      const float* from = w_(args) + c * row_;
      float* to = reinterpret_cast<float*>(args.scratch) + c * row_;
      for (int64_t i = 0; i < row_; ++i) to[i] = static_cast<float>(from[i] * scale);
    }
  }

  Inputs inputs_;
  double epsilon_;
  int64_t channels_, row_;  // outputs; weights of each
  In<float> w_, bias_, gamma_, beta_, mean_, variance_;
  std::unique_ptr<Kernel> conv_;
};

const FoldedConvAttrs& attrs(const Node& n) { return n.attrs<FoldedConvAttrs>(); }

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in);
  const FoldedConvAttrs& a = attrs(n);
  const TensorType y = convolved(a.conv, in[0], in[1]);
  expect(!a.adds || in[2].shape == y.shape, "the image that is added is like the result");
  return {y};
}

std::unique_ptr<Kernel> kernel(const Node& n, const KernelSite& site) {
  return std::make_unique<FoldedConv>(attrs(n), site);
}

// The image that is added is stored as the other one.
FormChoice forms(const Node& n, std::span<const TensorType> offered) {
  const FoldedConvAttrs& a = attrs(n);
  const onednn::ConvShape s = conv_shape(a.conv);
  const DType stored = fp32_or_narrow(offered[0].dtype);
  FormChoice choice{std::vector<Form>(offered.size()), {s.y}};
  choice.in[0] = {s.x, stored};
  if (a.adds) choice.in[2] = {s.y, stored};
  return choice;
}

double flops_of(const Node& n, const KernelSite&) { return flops(attrs(n).conv); }

std::string describe_node(const Node& n) {
  const FoldedConvAttrs& a = attrs(n);
  constexpr const char* acts[] = {"", " relu", " swish"};
  return describe(a.conv) + (a.bias ? " bias" : "") + (a.norm ? " norm" : "") +
         (a.adds ? " add" : "") + acts[static_cast<size_t>(a.act)];
}

constexpr OpDef def(std::string_view name, int inplace_input) {
  return {.name = name,
          .infer = infer,
          .kernel = kernel,
          .inplace_input = inplace_input,
          .forms = forms,
          .narrowing = Narrowing::always,
          .listed_as = "convolution",
          .flops = flops_of,
          .describe = describe_node};
}

}  // namespace

const OpDef folded_conv_def = def("folded_convolution", -1);
const OpDef adding_folded_conv_def = def("folded_convolution_add", 2);

const ConvAttrs* folded_conv(const Node& n) {
  const bool is = n.op == &folded_conv_def || n.op == &adding_folded_conv_def;
  return is ? &attrs(n).conv : nullptr;
}

OpFamily folded_conv_ops() {
  return {.ops = {&folded_conv_def, &adding_folded_conv_def}, .fusions = folded_conv_fusions()};
}

}  // namespace convoy::ops
