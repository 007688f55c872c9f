// Converts between plain [n][c][pixels] and blocked [n][c / B][pixels][B]; padded channels are
// zero.

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
  const auto x = site.input<T>(0);
  const auto y = site.output<T>(0);
  return one_phase(s[0] * blocks, [=](int task, const KernelArgs& args) {
    const int64_t n = task / blocks, first = task % blocks * block;
    const int64_t count = std::min(block, channels - first);
    const int64_t plain = (n * channels + first) * pixels, blocked = task * pixels * block;
    const T* from = x(args);
    T* to = y(args);
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
}

std::unique_ptr<Kernel> kernel(const Node&, const KernelSite& site) {
  switch (site.in[0].dtype) {
    case DType::f32:
      return make<float>(site);
    case DType::bf16:
      return make<Bf16>(site);
    case DType::f16:
      return make<F16>(site);
    case DType::s32:
      return make<int32_t>(site);
    case DType::s64:
      return make<int64_t>(site);
    case DType::u8:
      return make<uint8_t>(site);
    case DType::f64:
      return make<double>(site);
  }
  broken_promise("a type that can be reordered", std::source_location::current());
}

// The layout pass inserts this node, so its input already has the right form.
FormChoice forms(const Node& n, std::span<const TensorType> offered) {
  return {{{offered[0].layout, offered[0].dtype}}, {n.attrs<Attrs>().to}};
}

}  // namespace

const OpDef reorder_def{.name = "reorder",
                        .infer = infer,
                        .kernel = kernel,
                        .forms = forms,
                        .narrowing = Narrowing::follows,
                        .describe = describe};

Value reorder(Builder& b, Value x, Layout layout) {
  return b.emit(reorder_def, {x}, Attrs{layout});
}

OpFamily reorder_ops() { return {.ops = {&reorder_def}}; }

}  // namespace convoy::ops
