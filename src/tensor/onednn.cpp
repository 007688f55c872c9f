#include "tensor/onednn.h"

#include <fmt/core.h>
#include <omp.h>

#include <memory>

#include "base/error.h"

namespace convoy::onednn {
namespace {

thread_local bool inside_library = false;

struct Inside {
  Inside() { inside_library = true; }
  ~Inside() { inside_library = false; }
};

dnnl::memory::dims dims(const Shape& shape) { return {shape.begin(), shape.end()}; }

constexpr int max_workers = 256;

}  // namespace

Isa best_isa() {
  switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::all:
    case dnnl::cpu_isa::avx512_core:
    case dnnl::cpu_isa::avx512_core_vnni:
    case dnnl::cpu_isa::avx512_core_bf16:
    case dnnl::cpu_isa::avx512_core_amx:
      return Isa::avx512;
    case dnnl::cpu_isa::avx2:
    case dnnl::cpu_isa::avx2_vnni:
      return Isa::avx2;
    default:
      return Isa::sse41;
  }
}

void limit_isa(Isa level) {
  const auto isa = level == Isa::avx512 ? dnnl::cpu_isa::avx512_core
                   : level == Isa::avx2 ? dnnl::cpu_isa::avx2
                                        : dnnl::cpu_isa::sse41;
  if (dnnl::set_max_cpu_isa(isa) != dnnl::status::success) {
    raise(Fault::bug, "internal error: the instruction set was limited after oneDNN had started");
  }
}

void use_one_thread() { omp_set_num_threads(1); }

bool inside() { return inside_library; }

dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::memory::desc activation(const Shape& shape, Layout layout) {
  using Tag = dnnl::memory::format_tag;
  if (layout == Layout::plain) return plain(shape);
  return {dims(shape), dnnl::memory::data_type::f32, channel_block() == 16 ? Tag::nChw16c : Tag::nChw8c};
}

dnnl::memory::desc any(const Shape& shape) {
  return {dims(shape), dnnl::memory::data_type::f32, dnnl::memory::format_tag::any};
}

dnnl::memory::desc plain(const Shape& shape) {
  using Tag = dnnl::memory::format_tag;
  constexpr Tag tags[] = {Tag::a, Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde, Tag::abcdef};
  return {dims(shape), dnnl::memory::data_type::f32, tags[shape.rank()]};
}

Shape grouped_weights(const Shape& w, int64_t groups) {
  if (groups == 1) return w;
  return {groups, w[0] / groups, w[1], w[2], w[3]};
}

struct Primitive::Slot {
  dnnl::stream stream{engine()};
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> args;
};

Primitive::Primitive(const dnnl::primitive& primitive, std::vector<Arg> args,
                     const dnnl::memory::desc& scratchpad, std::string implementation)
    : primitive_(primitive),
      args_(std::move(args)),
      scratchpad_bytes_(scratchpad.get_size()),
      scratchpad_(scratchpad),
      implementation_(std::move(implementation)),
      slots_(max_workers) {}

Primitive::Slot& Primitive::slot(int worker) const {
  expect(worker < max_workers, "at most 256 threads");
  std::shared_ptr<Slot>& slot = slots_[static_cast<size_t>(worker)];
  if (!slot) {  // the first run of this worker; each worker touches only its own entry
    slot = std::make_shared<Slot>();
    for (const Arg& arg : args_) slot->memories.emplace_back(arg.desc, engine(), nullptr);
    slot->memories.emplace_back(scratchpad_, engine(), nullptr);
    for (size_t i = 0; i < args_.size(); ++i) slot->args.push_back({args_[i].name, slot->memories[i].get()});
    slot->args.push_back({DNNL_ARG_SCRATCHPAD, slot->memories.back().get()});
  }
  return *slot;
}

void Primitive::run(int worker, std::span<void* const> data, std::byte* scratchpad) const {
  Slot& slot = this->slot(worker);
  const Inside guard;
  for (size_t i = 0; i < data.size(); ++i) {
    dnnl_memory_set_data_handle_v2(slot.args[i].memory, data[i], nullptr);
  }
  dnnl_memory_set_data_handle_v2(slot.args.back().memory, scratchpad, nullptr);
  const dnnl_status_t status = dnnl_primitive_execute(
      primitive_.get(), slot.stream.get(), static_cast<int>(slot.args.size()), slot.args.data());
  if (status != dnnl_success) {
    raise(Fault::bug, "internal error: oneDNN could not run {} (status {})", implementation_,
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

std::string version() {
  const dnnl_version_t* v = dnnl_version();
  return fmt::format("{}.{}.{}", v->major, v->minor, v->patch);
}

}  // namespace convoy::onednn
