#include "tensor/onednn.h"

#include <fmt/core.h>
#include <omp.h>

#include <array>
#include <dnnl.hpp>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "base/error.h"

namespace convoy::onednn {
namespace {

using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;

thread_local bool inside_library = false;

struct Inside {
  Inside() { inside_library = true; }
  ~Inside() { inside_library = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

using Type = dnnl::memory::data_type;

Type type_of(DType dtype) {
  expect(dtype == DType::f32 || dtype == DType::bf16, "images in fp32 or bf16");
  return dtype == DType::bf16 ? Type::bf16 : Type::f32;
}

Desc activation(int64_t n, int64_t c, int64_t h, int64_t w, Layout layout, DType stored) {
  const Tag tag = layout == Layout::plain ? Tag::nchw
                  : channel_block() == 16 ? Tag::nChw16c
                                          : Tag::nChw8c;
  return {{n, c, h, w}, type_of(stored), tag};
}

Desc any_weights(const ConvShape& s, ConvPass pass) {
  const Type type = pass == ConvPass::grad_weights ? Type::f32 : type_of(s.stored);
  if (s.groups == 1) return {{s.oc, s.ic, s.kh, s.kw}, type, Tag::any};
  return {{s.groups, s.oc / s.groups, s.ic / s.groups, s.kh, s.kw}, type, Tag::any};
}

// The offset terms of one dimension of a blocked memory descriptor.
std::vector<int64_t> offset_terms(const dnnl_memory_desc_t& md, int dim) {
  const dnnl_blocking_desc_t& blocking = md.format_desc.blocking;
  std::vector<int64_t> terms(static_cast<size_t>(md.dims[dim]));
  for (int64_t index = 0; index < md.dims[dim]; ++index) {
    // From the innermost block outwards; the stride of a block is the size of the blocks inside it.
    int64_t rest = index, offset = 0, stride = 1;
    for (int b = blocking.inner_nblks - 1; b >= 0; --b) {
      if (blocking.inner_idxs[b] == dim) {
        offset += rest % blocking.inner_blks[b] * stride;
        rest /= blocking.inner_blks[b];
      }
      stride *= blocking.inner_blks[b];
    }
    terms[static_cast<size_t>(index)] = offset + rest * blocking.strides[dim];
  }
  return terms;
}

// a[i] + b[j] for all pairs, i outer.
std::vector<int64_t> sums(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  std::vector<int64_t> all;
  for (const int64_t p : a) {
    for (const int64_t q : b) all.push_back(p + q);
  }
  return all;
}

WeightPacking packing_of(const Desc& desc, bool grouped) {
  const dnnl_memory_desc_t& md = desc.data;
  expect(md.format_kind == dnnl_blocked && md.extra.flags == 0, "weights in a blocked format");
  const int o = grouped ? 1 : 0;
  std::vector<int64_t> out = offset_terms(md, o);
  if (grouped) out = sums(offset_terms(md, 0), out);
  return {std::move(out), offset_terms(md, o + 1),
          sums(offset_terms(md, o + 2), offset_terms(md, o + 3)),
          static_cast<int64_t>(desc.get_size() / dnnl::memory::data_type_size(desc.data_type())),
          desc.data_type() == Type::bf16 ? DType::bf16 : DType::f32};
}

// The library's ReLU turns a NaN into zero, but not where its slope below zero is a number. Our
// threads flush subnormal results, so with this slope only results of less than -1 do not become
// zero: they stay below 1e-37 times their size.
constexpr float no_slope = std::numeric_limits<float>::min();

void add_tail(const ConvTail& tail, dnnl::primitive_attr& attr) {
  dnnl::post_ops then;
  if (tail.adds) then.append_sum(1);
  if (tail.act == ConvTail::Act::relu) {
    then.append_eltwise(1, dnnl::algorithm::eltwise_relu, no_slope, 0);
  } else if (tail.act == ConvTail::Act::swish) {
    then.append_eltwise(1, dnnl::algorithm::eltwise_swish, 1, 0);
  }
  attr.set_post_ops(then);
}

}  // namespace

void settle_isa() {
  static std::optional<Isa> settled;
  if (settled == isa_level()) return;
  using dnnl::cpu_isa;
  constexpr cpu_isa levels[] = {cpu_isa::sse41, cpu_isa::avx2, cpu_isa::avx512_core,
                                cpu_isa::avx512_core_bf16, cpu_isa::avx512_core_amx};
  if (settled ||
      dnnl::set_max_cpu_isa(levels[static_cast<int>(isa_level())]) != dnnl::status::success) {
    raise(Fault::bug, "internal error: the instruction set was limited after oneDNN had started");
  }
  settled = isa_level();
}

std::string version() {
  const dnnl_version_t* v = dnnl_version();
  return fmt::format("{}.{}.{}", v->major, v->minor, v->patch);
}

void use_one_thread() {
  static std::once_flag once;
  std::call_once(once, settle_isa);
  omp_set_num_threads(1);
}

bool inside() { return inside_library; }

struct Convolution::Impl {
  // The memory objects of one thread.
  struct Slot {
    dnnl::stream stream{engine()};
    std::array<dnnl::memory, 5> memories;
    std::array<dnnl_exec_arg_t, 5> args;
  };
  // Planning only queries; code is generated when the primitive is certain to run.
  std::function<dnnl::primitive()> generate;
  dnnl::primitive primitive;
  Desc x, w, y, scratchpad, shift;
  bool shifts = false;
  std::array<int, 3> names;  // DNNL_ARG_* of x, w, y
  std::string implementation;
  WeightPacking packing;
  std::vector<std::unique_ptr<Slot>> slots;  // by worker

  std::unique_ptr<Slot> make_slot() const {
    auto slot = std::make_unique<Slot>();
    slot->memories = {dnnl::memory(x, engine(), nullptr), dnnl::memory(w, engine(), nullptr),
                      dnnl::memory(y, engine(), nullptr),
                      dnnl::memory(scratchpad, engine(), nullptr),
                      dnnl::memory(shift, engine(), nullptr)};
    for (size_t i = 0; i < 3; ++i) slot->args[i] = {names[i], slot->memories[i].get()};
    slot->args[3] = {DNNL_ARG_SCRATCHPAD, slot->memories[3].get()};
    slot->args[4] = {DNNL_ARG_BIAS, slot->memories[4].get()};
    return slot;
  }
};

Convolution::Convolution(const ConvShape& s, ConvPass pass, const Convolution* like,
                         const ConvTail& tail)
    : impl_(std::make_unique<Impl>()) {
  using dnnl::convolution_backward_data;
  using dnnl::convolution_backward_weights;
  using dnnl::convolution_forward;
  use_one_thread();
  const auto direct = dnnl::algorithm::convolution_direct;
  const dnnl::memory::dims strides{s.stride_h, s.stride_w};
  const dnnl::memory::dims before{s.pad_top, s.pad_left}, after{s.pad_bottom, s.pad_right};
  const Desc x = activation(s.n, s.ic, s.ih, s.iw, s.x, s.stored);
  const Desc y = activation(s.n, s.oc, s.oh, s.ow, s.y, s.stored);
  const Desc w = like ? like->impl_->w : any_weights(s, pass);
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  add_tail(tail, attr);
  Impl& impl = *impl_;
  impl.shifts = tail.shift;
  impl.shift = Desc({s.oc}, Type::f32, Tag::a);
  const auto settle = [&](const auto& pd, const Desc& weights, std::array<int, 3> names) {
    impl.x = x;
    impl.w = weights;
    impl.y = y;
    impl.scratchpad = pd.scratchpad_desc();
    impl.names = names;
    impl.implementation = pd.impl_info_str();
  };
  try {
    // This primitive is a hint for the backward passes and may choose its own weights: only its
    // shapes are used.
    const Desc forward_w = pass == ConvPass::forward ? w : any_weights(s, ConvPass::forward);
    const convolution_forward::desc plain(dnnl::prop_kind::forward_training, direct, x, forward_w,
                                          y, strides, before, after);
    const convolution_forward::desc shifted(dnnl::prop_kind::forward_inference, direct, x,
                                            forward_w, impl.shift, y, strides, before, after);
    const convolution_forward::primitive_desc forward(tail.shift ? shifted : plain, attr, engine());
    if (pass == ConvPass::forward) {
      settle(forward, forward.weights_desc(), {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST});
      impl.generate = [forward] { return convolution_forward(forward); };
    } else if (pass == ConvPass::grad_input) {
      const convolution_backward_data::primitive_desc pd({direct, x, w, y, strides, before, after},
                                                         attr, engine(), forward);
      settle(pd, pd.weights_desc(), {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST});
      impl.generate = [pd] { return convolution_backward_data(pd); };
    } else {
      const convolution_backward_weights::primitive_desc pd(
          {direct, x, w, y, strides, before, after}, attr, engine(), forward);
      settle(pd, pd.diff_weights_desc(), {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST});
      impl.generate = [pd] { return convolution_backward_weights(pd); };
    }
  } catch (const dnnl::error& e) {
    raise(Fault::bug,
          "internal error: oneDNN has no convolution {}x{}x{}x{} -> {} kernel {}x{}: {}", s.n, s.ic,
          s.ih, s.iw, s.oc, s.kh, s.kw, e.what());
  }
  impl.packing = packing_of(impl.w, s.groups > 1);
}

Convolution::~Convolution() = default;
Convolution::Convolution(Convolution&&) noexcept = default;
Convolution& Convolution::operator=(Convolution&&) noexcept = default;

const WeightPacking& Convolution::packing() const { return impl_->packing; }
size_t Convolution::scratchpad_bytes() const { return impl_->scratchpad.get_size(); }
const std::string& Convolution::implementation() const { return impl_->implementation; }

void Convolution::prepare(int workers) const {
  if (!impl_->primitive) impl_->primitive = impl_->generate();
  while (impl_->slots.size() < static_cast<size_t>(workers))
    impl_->slots.push_back(impl_->make_slot());
}

void Convolution::run(int worker, void* x, void* w, void* y, std::byte* scratchpad,
                      const float* shift) const {
  expect(static_cast<size_t>(worker) < impl_->slots.size(),
         "a convolution prepared for its threads");
  Impl::Slot& slot = *impl_->slots[static_cast<size_t>(worker)];
  const Inside guard;
  const std::array<void*, 5> data{x, w, y, scratchpad, const_cast<float*>(shift)};
  const size_t count = impl_->shifts ? 5 : 4;
  for (size_t i = 0; i < count; ++i) {
    dnnl_memory_set_data_handle_v2(slot.args[i].memory, data[i], nullptr);
  }
  const dnnl_status_t status = dnnl_primitive_execute(impl_->primitive.get(), slot.stream.get(),
                                                      static_cast<int>(count), slot.args.data());
  if (status != dnnl_success) {
    raise(Fault::bug, "internal error: oneDNN could not run {} (status {})", impl_->implementation,
          static_cast<int>(status));
  }
}

void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const float* a,
          int64_t lda, const float* b, int64_t ldb, bool add, float* c, int64_t ldc) {
  const Inside guard;
  const dnnl_status_t status = dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k,
                                          1.0f, a, lda, b, ldb, add ? 1.0f : 0.0f, c, ldc);
  expect(status == dnnl_success, "oneDNN refused a matrix product");
}

}  // namespace convoy::onednn
