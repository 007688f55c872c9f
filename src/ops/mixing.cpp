// Mixup and cutmix: the first op of the network, and the loss. Sources are indices within a
// replica, so that a replica's rows do not depend on others in the batch.

#include "ops/mixing.h"

#include <array>

#include "base/error.h"
#include "kernels/elementwise.h"
#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "ops/loss/loss_rows.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

constexpr int sources = 4;

void need_rows(const Node& n, const TensorType& type, int64_t samples, DType dtype) {
  if (type.shape == Shape{samples, sources} && type.dtype == dtype) return;
  raise(Fault::usage, "{} of {} samples cannot be mixed by {}", n.op->name, samples,
        to_string(type));
}

// The indices within the batch of the four sources of sample i.
std::array<int64_t, sources> sources_of(const int32_t* source, int64_t i, int64_t of_replica) {
  std::array<int64_t, sources> all{};
  for (size_t j = 0; j < sources; ++j) {
    const int32_t number = source[i * sources + static_cast<int64_t>(j)];
    expect(0 <= number && number < of_replica, "a source within the replica");
    all[j] = i / of_replica * of_replica + number;
  }
  return all;
}

Types infer_images(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in.first(1));
  if (in[0].shape.rank() != 4) {
    raise(Fault::usage, "mix_images needs images [n, c, h, w], not {}", to_string(in[0]));
  }
  const int64_t samples = in[0].shape[0];
  need_rows(n, in[1], samples, DType::s32);
  need_rows(n, in[2], samples, DType::s32);
  need_rows(n, in[3], samples, DType::f32);
  return {{in[0].shape, in[0].dtype}};
}

template <class T>
void blend(const T* a, float a_share, const T* b, float b_share, T* y, int64_t n) {
  if (b_share == 0 && a_share == 1) {
    std::copy_n(a, n, y);
  } else {
    kernels::blend(a, a_share, b, b_share, y, n);
  }
}

// A task computes one channel of an image.
template <class T>
std::unique_ptr<Kernel> images_kernel_in(const KernelSite& site) {
  const Shape& shape = site.in[0].shape;
  const int64_t channels = shape[1], height = shape[2], width = shape[3], plane = height * width;
  const int64_t of_replica = shape[0] / site.replicas;
  const auto image = site.input<T>(0);
  const auto shares = site.input<float>(3);
  const auto source = site.input<int32_t>(1), boxes = site.input<int32_t>(2);
  const auto mixed = site.output<T>(0);
  return one_phase(static_cast<int>(shape[0] * channels), [=](int task, const KernelArgs& args) {
    const int64_t i = task / channels, channel = task % channels;
    const auto from = sources_of(source(args), i, of_replica);
    const int32_t* box = boxes(args) + i * 4;
    const float* share = shares(args) + i * sources;
    const int64_t left = box[0], top = box[1], right = box[2], bottom = box[3];
    expect(0 <= left && right <= width && 0 <= top && bottom <= height, "a box within the image");
    const auto picture = [&](size_t j) {
      return image(args) + (from[j] * channels + channel) * plane;
    };
    T* out = mixed(args) + task * plane;
    const auto run = [&](size_t first, int64_t at, int64_t count) {
      blend(picture(first) + at, share[first], picture(first + 1) + at, share[first + 1], out + at,
            count);
    };
    if (left >= right || top >= bottom) return run(0, 0, plane);  // no box
    run(0, 0, top * width);
    for (int64_t y = top; y < bottom; ++y) {
      const int64_t row = y * width;
      run(0, row, left);
      run(2, row + left, right - left);
      run(0, row + right, width - right);
    }
    run(0, bottom * width, (height - bottom) * width);
  });
}

std::unique_ptr<Kernel> images_kernel(const Node&, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return images_kernel_in<T>(site); });
}

const OpDef images_def{.name = "mix_images",
                       .infer = infer_images,
                       .kernel = images_kernel,
                       .forms = stored_as<all_plain>,
                       .narrowing = Narrowing::follows};

// in: logits, label, source, weight
Types infer_loss(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in.first(1));
  const Shape& logits = in[0].shape;
  if (logits.rank() != 2 || in[1].shape != Shape{logits[0]} || in[1].dtype != DType::s32) {
    raise(Fault::usage, "labels {} do not fit logits {}", to_string(in[1]), to_string(in[0]));
  }
  need_rows(n, in[2], logits[0], DType::s32);
  need_rows(n, in[3], logits[0], DType::f32);
  return {{{logits[0]}}};
}

// The target of a sample: `miss` for every class, plus `more` for the classes of the sources.
struct MixedTarget {
  double total, miss;  // total: summed over classes; miss: of each class
  std::array<int32_t, sources> label;
  std::array<double, sources> more;
};
struct MixedInputs {
  In<int32_t> label, source;
  In<float> weight;

  explicit MixedInputs(const KernelSite& site)
      : label(site.input<int32_t>(1)),
        source(site.input<int32_t>(2)),
        weight(site.input<float>(3)) {}
};
MixedTarget mixed_target(const LossRow& r, const MixedInputs& in, int64_t of_replica,
                         const Targets& t) {
  const auto from = sources_of(in.source(r.args), r.sample, of_replica);
  MixedTarget mixed{};
  for (size_t j = 0; j < sources; ++j) {
    const double weight = in.weight(r.args)[r.sample * sources + static_cast<int64_t>(j)];
    mixed.label[j] = checked_label(in.label(r.args), from[j], r.classes);
    mixed.more[j] = weight * (t.hit - t.miss);
    mixed.total += weight;
  }
  mixed.miss = t.miss * mixed.total;
  return mixed;
}

std::unique_ptr<Kernel> loss_kernel(const Node& n, const KernelSite& site) {
  const int64_t of_replica = site.in[0].shape[0] / site.replicas;
  const Targets t = targets(n.attrs<CrossEntropyOptions>(), site.in[0].shape[1]);
  const MixedInputs in(site);
  const auto y = site.output<float>(0);
  return each_loss_row(site, [=](const LossRow& r) {
    const MixedTarget target = mixed_target(r, in, of_replica, t);
    // -sum_k target_k (logit_k - top - log_sum).
    double loss = target.total * r.lse.log_sum;
    for (size_t j = 0; j < sources; ++j) {
      if (target.more[j] != 0) loss += target.more[j] * (r.lse.top - r.logits[target.label[j]]);
    }
    if (target.miss > 0) {
      for (int64_t k = 0; k < r.classes; ++k) loss += target.miss * (r.lse.top - r.logits[k]);
    }
    y(r.args)[r.sample] = static_cast<float>(loss);
  });
}

// in: logits, label, source, weight, d_loss [n]; out: d_logits
Types infer_grad(const Node&, std::span<const TensorType> in) { return {{in[0].shape}}; }

std::unique_ptr<Kernel> grad_kernel(const Node& n, const KernelSite& site) {
  const int64_t of_replica = site.in[0].shape[0] / site.replicas;
  const Targets t = targets(n.attrs<CrossEntropyOptions>(), site.in[0].shape[1]);
  const MixedInputs in(site);
  const auto d_loss = site.input<float>(4);
  const auto d_logits = site.output<float>(0);
  return each_loss_row(site, [=](const LossRow& r) {
    const MixedTarget target = mixed_target(r, in, of_replica, t);
    const double d = d_loss(r.args)[r.sample];
    float* out = d_logits(r.args) + r.sample * r.classes;
    for (int64_t k = 0; k < r.classes; ++k) {
      double share = target.miss;
      for (size_t j = 0; j < sources; ++j) share += target.label[j] == k ? target.more[j] : 0;
      const double p = std::exp(r.logits[k] - r.lse.top - r.lse.log_sum);
      out[k] = static_cast<float>(d * (target.total * p - share));
    }
  });
}

const OpDef grad_def{.name = "mixed_cross_entropy_grad",
                     .infer = infer_grad,
                     .kernel = grad_kernel,
                     .inplace_input = 0};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  const auto& options = n.attrs<CrossEntropyOptions>();
  return {b.emit(grad_def, {n.in[0], n.in[1], n.in[2], n.in[3], d_out[0]}, options), {}, {}, {}};
}

const OpDef loss_def{
    .name = "mixed_cross_entropy", .infer = infer_loss, .grad = grad, .kernel = loss_kernel};

}  // namespace

Value mix_images(Builder& b, Value image, Value source, Value box, Value share) {
  return b.emit(images_def, {image, source, box, share});
}
Value mixed_cross_entropy(Builder& b, Value logits, Value label, Value source, Value weight,
                          const CrossEntropyOptions& options) {
  return b.emit(loss_def, {logits, label, source, weight}, options);
}

OpFamily mixing_ops() { return {.ops = {&images_def, &loss_def, &grad_def}}; }

}  // namespace convoy::ops
