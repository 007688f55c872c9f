#include "support/test_ops.h"

#include <chrono>
#include <cmath>
#include <limits>

#include "tensor/isa.h"
#include "tensor/kernel.h"

namespace convoy::test {
namespace {

Types same(const Node&, std::span<const TensorType> in) { return {{in[0].shape, in[0].dtype}}; }

// Blocked ---------------------------------------------------------------------------------------

FormChoice all_blocked(const Node&, std::span<const TensorType>) {
  return {{{Layout::blocked}}, {Layout::blocked}};
}

std::unique_ptr<Kernel> checking_copy(const Node&, const KernelSite& site) {
  const Shape s = site.in[0].shape;
  const int64_t block = channel_block(), blocks = divide_up(s[1], block), pixels = s[2] * s[3];
  const auto in = site.input<float>(0);
  const auto out = site.output<float>(0);
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(s[0] * blocks, [=](int task, const KernelArgs& args) {
    const int64_t used = std::min(block, s[1] - task % blocks * block);
    const float* x = in(args) + task * pixels * block;
    float* y = out(args) + task * pixels * block;
    bool clean = true;
    for (int64_t i = 0; i < pixels * block; ++i) {
      clean = clean && (i % block < used || x[i] == 0);
      y[i] = x[i];
    }
    if (!clean) std::fill_n(y, pixels * block, std::numeric_limits<float>::quiet_NaN());
  });
  return kernel;
}

Values blocked_grad(Builder& b, const Node&, std::span<const Value> d) {
  return {blocked(b, d[0])};
}

const OpDef blocked_def{.name = "test_blocked",
                        .infer = same,
                        .grad = blocked_grad,
                        .kernel = checking_copy,
                        .forms = all_blocked};

// Begin and end ---------------------------------------------------------------------------------

struct Work {
  int milliseconds;
  std::shared_ptr<std::thread> thread;
};

std::unique_ptr<Kernel> begin_kernel(const Node& n, const KernelSite& site) {
  const Work work = n.attrs<Work>();
  const int64_t count = site.in[0].shape.count();
  const auto in = site.input<float>(0);
  const auto out = site.output<float>(0);
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(1, [=](int, const KernelArgs& args) {
    const float* x = in(args);
    float* y = out(args);
    *work.thread = std::thread([=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(work.milliseconds));
      for (int64_t i = 0; i < count; ++i) y[i] = 2 * x[i];
    });
  });
  return kernel;
}

std::unique_ptr<Kernel> end_kernel(const Node& n, const KernelSite& site) {
  const Work work = n.attrs<Work>();
  const int64_t count = site.in[0].shape.count();
  const auto in = site.input<float>(0);
  const auto out = site.output<float>(0);
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(1, [=](int, const KernelArgs& args) {
    work.thread->join();
    if (args.in[0] != args.out[0]) std::copy_n(in(args), count, out(args));
  });
  return kernel;
}

const OpDef begin_def{
    .name = "test_begin", .infer = same, .kernel = begin_kernel, .runs_early = true};
const OpDef end_def{.name = "test_end", .infer = same, .kernel = end_kernel, .inplace_input = 0};

// Descend ---------------------------------------------------------------------------------------

std::unique_ptr<Kernel> descend_kernel(const Node&, const KernelSite& site) {
  const int64_t count = site.in[0].shape.count();
  const auto w = site.input<float>(0), g = site.input<float>(1), rate = site.input<float>(2);
  const auto out = site.output<float>(0);
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(1, [=](int, const KernelArgs& args) {
    for (int64_t i = 0; i < count; ++i) out(args)[i] = w(args)[i] - rate(args)[0] * g(args)[i];
  });
  return kernel;
}

const OpDef descend_def{.name = "test_descend", .infer = same, .kernel = descend_kernel};

}  // namespace

Value blocked(Builder& b, Value x) { return b.emit(blocked_def, {x}); }

Value begin_doubling(Builder& b, Value x, int milliseconds) {
  return b.emit(begin_def, {x}, Work{milliseconds, std::make_shared<std::thread>()});
}

Value end_doubling(Builder& b, Value begun) {
  return b.emit(end_def, {begun}, b.graph().producer(begun).attrs<Work>());
}

Value descend(Builder& b, Value w, Value g, Value rate) {
  return b.emit(descend_def, {w, g, rate});
}

}  // namespace convoy::test
