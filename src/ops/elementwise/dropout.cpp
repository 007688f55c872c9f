// Dropout keyed by sample: the mask is a function, so the gradient computes it again instead of
// storing it, and a replica has the same mask on any rank.

#include "ops/elementwise/dropout.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/random.h"
#include "kernels/elementwise.h"
#include "ops/checks.h"
#include "ops/elementwise/elementwise_kernel.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct Attrs {
  float rate;
  uint64_t site;
};

std::string describe(const Node& n) { return fmt::format("rate {}", n.attrs<Attrs>().rate); }

Types infer(const Node& n, std::span<const TensorType> in) {
  need_floats(n, in.first(1));
  const float rate = n.attrs<Attrs>().rate;
  if (!(rate >= 0 && rate < 1))
    raise(Fault::usage, "a dropout rate of {} makes no sense; try: 0 to 0.9", rate);
  if (in[1].dtype != DType::s64 || in[1].shape != Shape{in[0].shape[0]}) {
    raise(Fault::usage, "dropout of {} needs a key for each sample", to_string(in[0].shape));
  }
  return {{in[0].shape, in[0].dtype}};
}

// In logical (plain) element order, so that the mask does not depend on the layout.
template <class T>
std::unique_ptr<Kernel> kernel_in(const Node& n, const KernelSite& site) {
  const Attrs a = n.attrs<Attrs>();
  const int64_t samples = site.in[0].shape[0], each = site.in[0].shape.count() / samples;
  const float keep = 1 / (1 - a.rate);
  const auto in = site.input<T>(0);
  const auto keys = site.input<int64_t>(1);
  const auto out = site.output<T>(0);
  return one_phase(samples, [=](int sample, const KernelArgs& args) {
    Random random(random_key(static_cast<uint64_t>(keys(args)[sample]), Purpose::dropout, a.site));
    const T* x = in(args) + sample * each;
    T* y = out(args) + sample * each;
    for (int64_t i = 0; i < each; ++i) {
      const bool drop = random.uniform() < static_cast<double>(a.rate);
      y[i] = rounded_to<T>(drop ? 0.0f : widened(x[i]) * keep);
    }
  });
}
std::unique_ptr<Kernel> kernel(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return kernel_in<T>(n, site); });
}

Values grad(Builder& b, const Node& n, std::span<const Value> d_out);

const OpDef dropout_def{.name = "dropout",
                        .infer = infer,
                        .grad = grad,
                        .kernel = kernel,
                        .inplace_input = 0,
                        .forms = stored_as<all_plain>,
                        .narrowing = Narrowing::follows,
                        .describe = describe};

Values grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  return {b.emit(dropout_def, {d_out[0], n.in[1]}, n.attrs<Attrs>()), {}};
}

// A sample is kept or dropped; its elements are contiguous in every layout.
template <class T>
std::unique_ptr<Kernel> path_kernel_in(const Node& n, const KernelSite& site) {
  const Attrs a = n.attrs<Attrs>();
  const int64_t samples = site.in[0].shape[0];
  const Chunks chunks{stored_count(site.out[0]) / samples};
  const auto x = site.input<T>(0);
  const auto keys = site.input<int64_t>(1);
  const auto y = site.output<T>(0);
  return one_phase(samples * chunks.tasks(), [=](int task, const KernelArgs& args) {
    const int sample = task / chunks.tasks(), chunk = task % chunks.tasks();
    Random random(random_key(static_cast<uint64_t>(keys(args)[sample]), Purpose::dropout, a.site));
    const bool drop = random.uniform() < static_cast<double>(a.rate);
    const int64_t at = sample * chunks.count + chunks.begin(chunk);
    kernels::scale(x(args) + at, drop ? 0.0f : 1 / (1 - a.rate), y(args) + at,
                   chunks.length(chunk));
  });
}

std::unique_ptr<Kernel> path_kernel(const Node& n, const KernelSite& site) {
  return by_storage(site.in[0], [&]<class T>() { return path_kernel_in<T>(n, site); });
}

FormChoice path_forms(const Node& n, std::span<const TensorType> offered) {
  FormChoice choice = all_alike(n, offered);
  choice.in[1].layout = Layout::plain;
  return choice;
}

Values path_grad(Builder& b, const Node& n, std::span<const Value> d_out);

const OpDef drop_path_def{.name = "drop_path",
                          .infer = infer,
                          .grad = path_grad,
                          .kernel = path_kernel,
                          .inplace_input = 0,
                          .forms = stored_as<path_forms>,
                          .narrowing = Narrowing::follows,
                          .describe = describe};

Values path_grad(Builder& b, const Node& n, std::span<const Value> d_out) {
  return {b.emit(drop_path_def, {d_out[0], n.in[1]}, n.attrs<Attrs>()), {}};
}

}  // namespace

Value drop_path(Builder& b, Value x, Value key, float rate, uint64_t site) {
  if (!b.train() || rate == 0) return x;
  return b.emit(drop_path_def, {x, key}, Attrs{rate, site});
}

Value dropout(Builder& b, Value x, Value key, float rate, uint64_t site) {
  if (!b.train() || rate == 0) return x;
  return b.emit(dropout_def, {x, key}, Attrs{rate, site});
}

OpFamily dropout_ops() { return {.ops = {&dropout_def, &drop_path_def}}; }

}  // namespace convoy::ops
