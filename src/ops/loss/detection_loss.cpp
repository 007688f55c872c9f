// Three phases: cross-entropies of rows, in double, rounded to float for the order of boxes; the
// choice of background boxes; the sum of each sample. The choice is saved as a weight of each box
// for the backward pass, which then computes only the rows that have one.

#include "ops/loss/detection_loss.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "ops/checks.h"
#include "ops/family.h"
#include "ops/loss/loss_rows.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

constexpr int64_t code_numbers = 4;

void check(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in.first(2));
  const Shape& logits = in[0].shape;
  const bool rows = logits.rank() == 3;
  const Shape boxes = rows ? Shape{logits[0], logits[1]} : Shape{};
  const Shape codes = rows ? Shape{logits[0], logits[1], code_numbers} : Shape{};
  if (!rows || in[1].shape != codes || in[2] != TensorType{boxes, DType::s32} ||
      in[3].shape != codes || in[3].dtype != DType::f32) {
    raise(Fault::usage, "targets {} and {} do not fit logits {} and codes {}", to_string(in[2]),
          to_string(in[3]), to_string(in[0]), to_string(in[1]));
  }
}

// loss [n], the weight of each box's cross-entropy [n, boxes], 1 / m [n], the codes' part [n].
Types infer(const Node& n, std::span<const TensorType> in) {
  check(n, in);
  const Shape& logits = in[0].shape;
  return {{{logits[0]}}, {{logits[0], logits[1]}}, {{logits[0]}}, {{logits[0]}}};
}

int32_t checked_class(const int32_t* classes, int64_t box, int64_t count) {
  const int32_t found = classes[box];
  if (found < 0 || found >= count) {
    raise(Fault::data, "a default box has the class {}, but there are {} classes", found, count);
  }
  return found;
}

double huber(double error) {
  const double size = std::abs(error);
  return size <= 1 ? error * error / 2 : size - 0.5;
}
double huber_slope(double error) {
  return std::isnan(error) ? error : std::clamp(error, -1.0, 1.0);
}

// A number that sorts first what is larger, then what has the lower index. A NaN is larger than
// every number, so that it is chosen and shows in the loss.
uint64_t order_key(float value, int64_t index) {
  constexpr uint32_t sign = 0x80000000u;
  const auto bits = std::bit_cast<uint32_t>(std::isnan(value) ? std::abs(value) : value + 0.0f);
  const uint32_t rising = bits & sign ? ~bits : bits | sign;
  return uint64_t{rising} << 32 | (0xffffffffu - static_cast<uint32_t>(index));
}
int64_t index_of(uint64_t key) { return 0xffffffffu - static_cast<uint32_t>(key); }

// The rows of a batch of boxes, cut into tasks. Only the shape decides.
struct BoxRows {
  int64_t samples, boxes, classes;
  explicit BoxRows(const Shape& logits)
      : samples(logits[0]), boxes(logits[1]), classes(logits[2]) {}
  Chunks chunks() const { return {samples * boxes, 512}; }
};

class LossKernel : public Kernel {
 public:
  LossKernel(const Node& n, const KernelSite& site)
      : rows_(site.in[0].shape),
        negatives_(n.attrs<DetectionLossOptions>().negatives),
        logits_(site.input<float>(0)),
        codes_(site.input<float>(1)),
        classes_(site.input<int32_t>(2)),
        targets_(site.input<float>(3)),
        loss_(site.output<float>(0)),
        weights_(site.output<float>(1)),
        shares_(site.output<float>(2)),
        of_codes_(site.output<float>(3)) {}

  int phases() const override { return 2; }
  int tasks(int phase) const override {
    return phase == 0 ? rows_.chunks().tasks() : static_cast<int>(rows_.samples);
  }
  size_t scratch_bytes() const override {
    return static_cast<size_t>(rows_.samples * rows_.boxes) * (sizeof(uint64_t) + sizeof(float));
  }
  void run(int phase, int task, const KernelArgs& args) const override {
    phase == 0 ? cross_entropies(task, args) : sum(task, args);
  }

 private:
  // The scratch: first the keys of all boxes, then their cross-entropies.
  uint64_t* keys(const KernelArgs& args) const { return reinterpret_cast<uint64_t*>(args.scratch); }
  float* entropies(const KernelArgs& args) const {
    return reinterpret_cast<float*>(keys(args) + rows_.samples * rows_.boxes);
  }

  void cross_entropies(int task, const KernelArgs& args) const {
    const Chunks chunks = rows_.chunks();
    const int64_t begin = chunks.begin(task), end = begin + chunks.length(task);
    for (int64_t row = begin; row < end; ++row) {
      const float* logits = logits_(args) + row * rows_.classes;
      const int32_t label = checked_class(classes_(args), row, rows_.classes);
      const LogSumExp lse = log_sum_exp(logits, rows_.classes);
      const auto entropy = static_cast<float>(lse.log_sum + (lse.top - logits[label]));
      entropies(args)[row] = entropy;
      keys(args)[row] = order_key(label > 0 ? 0 : entropy, row % rows_.boxes);
    }
  }

  void sum(int64_t sample, const KernelArgs& args) const {
    const int64_t first = sample * rows_.boxes;
    const int32_t* classes = classes_(args) + first;
    const auto matched = rows_.boxes - std::count(classes, classes + rows_.boxes, 0);
    const double share = matched ? 1 / static_cast<double>(matched) : 0;
    float* weights = weights_(args) + first;
    for (int64_t i = 0; i < rows_.boxes; ++i) weights[i] = classes[i] > 0 ? 1 : 0;
    uint64_t* keys = this->keys(args) + first;
    const int64_t taken = std::min(negatives_ * matched, rows_.boxes);
    std::nth_element(keys, keys + taken, keys + rows_.boxes, std::greater<>());
    for (int64_t i = 0; i < taken; ++i) weights[index_of(keys[i])] += 1;

    const float* entropies = this->entropies(args) + first;
    const float* codes = codes_(args) + first * code_numbers;
    const float* targets = targets_(args) + first * code_numbers;
    double total = 0, of_codes = 0;
    for (int64_t i = 0; i < rows_.boxes; ++i) {
      if (weights[i] == 0) continue;
      total += static_cast<double>(weights[i]) * static_cast<double>(entropies[i]);
      weights[i] = static_cast<float>(static_cast<double>(weights[i]) * share);
      for (int64_t k = i * code_numbers; classes[i] > 0 && k < (i + 1) * code_numbers; ++k) {
        const double own = huber(static_cast<double>(codes[k]) - static_cast<double>(targets[k]));
        total += own;
        of_codes += own;
      }
    }
    loss_(args)[sample] = static_cast<float>(total * share);
    shares_(args)[sample] = static_cast<float>(share);
    of_codes_(args)[sample] = static_cast<float>(of_codes * share);
  }

  BoxRows rows_;
  int64_t negatives_;
  In<float> logits_, codes_;
  In<int32_t> classes_;
  In<float> targets_;
  Out<float> loss_, weights_, shares_, of_codes_;
};

std::unique_ptr<Kernel> forward(const Node& n, const KernelSite& site) {
  return std::make_unique<LossKernel>(n, site);
}

// in: logits, codes, box_classes, box_codes, weights, shares, d_loss; out: d_logits, d_codes
Types infer_grad(const Node&, std::span<const TensorType> in) {
  return {{in[0].shape}, {in[1].shape}};
}

std::unique_ptr<Kernel> backward(const Node&, const KernelSite& site) {
  const BoxRows rows(site.in[0].shape);
  const auto logits = site.input<float>(0), codes = site.input<float>(1);
  const auto classes = site.input<int32_t>(2);
  const auto targets = site.input<float>(3), weights = site.input<float>(4);
  const auto shares = site.input<float>(5), d_loss = site.input<float>(6);
  const auto d_logits = site.output<float>(0), d_codes = site.output<float>(1);
  const Chunks chunks = rows.chunks();
  return one_phase(chunks.tasks(), [=](int task, const KernelArgs& args) {
    const int64_t begin = chunks.begin(task), end = begin + chunks.length(task);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t sample = row / rows.boxes;
      const auto d = static_cast<double>(d_loss(args)[sample]);
      const int32_t label = classes(args)[row];
      const float* in = logits(args) + row * rows.classes;
      float* out = d_logits(args) + row * rows.classes;
      if (const double weight = d * static_cast<double>(weights(args)[row]); weight == 0) {
        std::fill_n(out, rows.classes, 0.0f);
      } else {
        const LogSumExp lse = log_sum_exp(in, rows.classes);
        for (int64_t k = 0; k < rows.classes; ++k) {
          const double p = std::exp(in[k] - lse.top - lse.log_sum);
          out[k] = static_cast<float>(weight * (p - (k == label ? 1 : 0)));
        }
      }
      const double share = label > 0 ? d * static_cast<double>(shares(args)[sample]) : 0;
      for (int64_t k = row * code_numbers; k < (row + 1) * code_numbers; ++k) {
        const double error =
            static_cast<double>(codes(args)[k]) - static_cast<double>(targets(args)[k]);
        d_codes(args)[k] = share == 0 ? 0 : static_cast<float>(share * huber_slope(error));
      }
    }
  });
}

const OpDef grad_def{.name = "detection_loss_grad", .infer = infer_grad, .kernel = backward};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  const Values d =
      b.emit_all(grad_def, {n.in[0], n.in[1], n.in[2], n.in[3], n.out[1], n.out[2], d_out[0]});
  return {d[0], d[1], {}, {}};
}

const OpDef loss_def{.name = "detection_loss", .infer = infer, .grad = grad, .kernel = forward};

}  // namespace

DetectionLoss detection_loss(Builder& b, Value logits, Value codes, Value box_classes,
                             Value box_codes, const DetectionLossOptions& options) {
  const Values out = b.emit_all(loss_def, {logits, codes, box_classes, box_codes}, options);
  return {.loss = out[0], .of_codes = out[3]};
}

OpFamily detection_loss_ops() { return {.ops = {&loss_def, &grad_def}}; }

}  // namespace convoy::ops
