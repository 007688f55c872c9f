// Between plain [n][c][pixels] and blocked [n][c / B][pixels][B]; padded channels become zero.

#include "ops/reorder.h"

#include "base/error.h"
#include "ops/family.h"
#include "tensor/isa.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct Attrs {
  Layout to;
};

Types infer(const Node& n, std::span<const TensorType> in) {
  expect(in[0].shape.rank() == 4, "only images have a blocked layout");
  return {{in[0].shape, in[0].dtype, n.attrs<Attrs>().to}};
}

std::string describe(const Node& n) {
  return n.attrs<Attrs>().to == Layout::blocked ? "to blocked" : "to plain";
}

template <class T>
std::unique_ptr<Kernel> make(const KernelSite& site) {
  const Shape& s = site.in[0].shape;
  const int64_t block = channel_block(), blocks = divide_up(s[1], block), channels = s[1];
  const int64_t pixels = s[2] * s[3];
  const bool to_blocked = site.out[0].layout == Layout::blocked;
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(s[0] * blocks, [=](int task, const KernelArgs& args) {
    const int64_t n = task / blocks, first = task % blocks * block;
    const int64_t count = std::min(block, channels - first);
    const int64_t plain = (n * channels + first) * pixels, blocked = task * pixels * block;
    const T* from = args.input<T>(0);
    T* to = args.output<T>(0);
    if (to_blocked) {
      for (int64_t p = 0; p < pixels; ++p) {
        for (int64_t c = 0; c < count; ++c)
          to[blocked + p * block + c] = from[plain + c * pixels + p];
        for (int64_t c = count; c < block; ++c) to[blocked + p * block + c] = T{};
      }
    } else {
      for (int64_t c = 0; c < count; ++c) {
        for (int64_t p = 0; p < pixels; ++p)
          to[plain + c * pixels + p] = from[blocked + p * block + c];
      }
    }
  });
  return kernel;
}

std::unique_ptr<Kernel> kernel(const Node&, const KernelSite& site) {
  switch (bytes_per_element(site.in[0].dtype)) {
    case 1:
      return make<uint8_t>(site);
    case 2:
      return make<uint16_t>(site);
    case 4:
      return make<float>(site);
    default:
      return make<uint64_t>(site);
  }
}

}  // namespace

const OpDef reorder_def{.name = "reorder", .infer = infer, .kernel = kernel, .describe = describe};

Value reorder(Builder& b, Value x, Layout layout) {
  return b.emit(reorder_def, {x}, Attrs{layout});
}

}  // namespace convoy::ops

namespace convoy {

OpFamily reorder_ops() { return {.ops = {&ops::reorder_def}, .fusions = {}}; }

}  // namespace convoy
