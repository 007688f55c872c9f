// Reshape and concat: copies of bytes, sample by sample.

#include "ops/shape_ops.h"

#include <fmt/core.h>

#include "base/error.h"
#include "ops/family.h"
#include "ops/form_rules.h"
#include "tensor/kernel.h"

namespace convoy::ops {
namespace {

struct ReshapeAttrs {
  Shape to;
};

Types infer_reshape(const Node& n, std::span<const TensorType> in) {
  const Shape& to = n.attrs<ReshapeAttrs>().to;
  if (to.count() != in[0].shape.count() || to.rank() < 1 || to[0] != in[0].shape[0]) {
    raise(Fault::usage, "{} cannot be reshaped to {}", to_string(in[0].shape), to_string(to));
  }
  return {{to, in[0].dtype}};
}

std::unique_ptr<Kernel> reshape_kernel(const Node&, const KernelSite& site) {
  const Chunks chunks{static_cast<int64_t>(stored_bytes(site.out[0])), 65536};
  return one_phase(chunks.tasks(), [=](int task, const KernelArgs& args) {
    if (args.in[0] == args.out[0]) return;
    std::copy_n(args.in[0] + chunks.begin(task), chunks.length(task),
                args.out[0] + chunks.begin(task));
  });
}

Values reshape_grad(Builder& b, const Node& n, std::span<const Value> d) {
  return {reshape(b, d[0], b.shape(n.in[0]))};
}

const OpDef reshape_def{.name = "reshape",
                        .infer = infer_reshape,
                        .grad = reshape_grad,
                        .kernel = reshape_kernel,
                        .inplace_input = 0,
                        .forms = moved<all_plain>,
                        .narrowing = Narrowing::follows};

Types infer_concat(const Node&, std::span<const TensorType> in) {
  Shape shape = in[0].shape;
  shape[1] = 0;
  for (const TensorType& t : in) {
    Shape same = t.shape;
    if (same.rank() == shape.rank()) same[1] = 0;
    Shape base = shape;
    base[1] = 0;
    if (same != base || shape.rank() < 2 || t.dtype != in[0].dtype) {
      raise(Fault::usage, "{} and {} cannot be joined", to_string(in[0]), to_string(t));
    }
    shape[1] += t.shape[1];
  }
  return {{shape, in[0].dtype}};
}

// Bytes of one sample.
int64_t sample_bytes(const TensorType& t) {
  return static_cast<int64_t>(stored_bytes(t)) / t.shape[0];
}

std::unique_ptr<Kernel> concat_kernel(const Node&, const KernelSite& site) {
  std::vector<int64_t> sizes;
  for (const TensorType& t : site.in) sizes.push_back(sample_bytes(t));
  const int64_t whole = sample_bytes(site.out[0]);
  return one_phase(site.out[0].shape[0], [=](int sample, const KernelArgs& args) {
    std::byte* to = args.out[0] + sample * whole;
    for (size_t i = 0; i < sizes.size(); ++i) {
      to = std::copy_n(args.in[i] + sample * sizes[i], sizes[i], to);
    }
  });
}

// The channels [begin, begin + count) of the input.
struct PartAttrs {
  int64_t begin, count;
};

Types infer_part(const Node& n, std::span<const TensorType> in) {
  Shape shape = in[0].shape;
  shape[1] = n.attrs<PartAttrs>().count;
  return {{shape, in[0].dtype}};
}

std::unique_ptr<Kernel> part_kernel(const Node& n, const KernelSite& site) {
  const int64_t whole = sample_bytes(site.in[0]), part = sample_bytes(site.out[0]);
  const int64_t skip = whole / site.in[0].shape[1] * n.attrs<PartAttrs>().begin;
  return one_phase(site.out[0].shape[0], [=](int sample, const KernelArgs& args) {
    std::copy_n(args.in[0] + sample * whole + skip, part, args.out[0] + sample * part);
  });
}

// Blocked only if begin and count are whole blocks.
FormChoice part_forms(const Node& n, std::span<const TensorType> offered) {
  const PartAttrs& a = n.attrs<PartAttrs>();
  const bool whole = a.begin % channel_block() == 0 && a.count % channel_block() == 0;
  const Layout layout =
      whole && offered[0].shape[1] % channel_block() == 0 ? offered[0].layout : Layout::plain;
  return all_of(layout, n, offered);
}

const OpDef part_def{.name = "concat_grad",
                     .infer = infer_part,
                     .kernel = part_kernel,
                     .forms = moved<part_forms>,
                     .narrowing = Narrowing::follows};

Values concat_grad(Builder& b, const Node& n, std::span<const Value> d) {
  Values parts;
  int64_t begin = 0;
  for (const Value v : n.in) {
    const int64_t count = b.shape(v)[1];
    parts.push_back(b.emit(part_def, {d[0]}, PartAttrs{begin, count}));
    begin += count;
  }
  return parts;
}

const OpDef concat_def{.name = "concat",
                       .infer = infer_concat,
                       .grad = concat_grad,
                       .kernel = concat_kernel,
                       .forms = moved<all_alike_unpadded>,
                       .narrowing = Narrowing::follows};

}  // namespace

Value reshape(Builder& b, Value x, const Shape& shape) {
  return b.emit(reshape_def, {x}, ReshapeAttrs{shape});
}
Value concat(Builder& b, const Values& parts) { return b.emit(concat_def, parts); }

OpFamily shape_ops_ops() { return {.ops = {&reshape_def, &concat_def, &part_def}}; }

}  // namespace convoy::ops
