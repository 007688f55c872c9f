#include "train/update/optimizer.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/text/text.h"
#include "tensor/kernel.h"

namespace convoy {

const OptimizerDef& find_optimizer(std::string_view name) {
  std::vector<std::string> names;
  for (const OptimizerDef& def : optimizer_catalog()) {
    if (def.name == name) return def;
    names.emplace_back(def.name);
  }
  raise(Fault::usage, "unknown optimizer '{}'; there are: {}", name, join(names, ", "));
}

std::vector<UpdateChunk> update_chunks(const StateLayout& layout, const WeightDecay& decay,
                                       Apart apart) {
  constexpr int64_t chunk = 16384;
  std::vector<int> order(layout.params.size());
  std::iota(order.begin(), order.end(), 0);
  const auto slot = [&](int i) -> const StateLayout::Slot& {
    return layout.params[static_cast<size_t>(i)];
  };
  std::ranges::sort(order, {}, [&](int i) { return slot(i).offset; });
  std::vector<UpdateChunk> chunks;
  for (size_t i = 0; i < order.size(); ++i) {
    const int param = order[i];
    const int64_t end = i + 1 < order.size() ? slot(order[i + 1]).offset : layout.param_floats;
    const float its_decay = decay.of(param_kind(layout, slot(param))), rate = slot(param).rate;
    if (rate == 0) continue;
    for (int64_t at = slot(param).offset; at < end;) {
      // Chunks may include the padding between parameters, which is zero and stays zero.
      const UpdateChunk* last = chunks.empty() ? nullptr : &chunks.back();
      const bool grows = last && last->decay == its_decay && last->rate == rate &&
                         last->offset + last->count == at && last->count < chunk &&
                         (apart == Apart::no || last->param == param);
      if (!grows) chunks.push_back({at, 0, its_decay, rate, param});
      const int64_t take = std::min(end - at, chunk - chunks.back().count);
      chunks.back().count += take;
      at += take;
    }
  }
  return chunks;
}

namespace {

struct UpdateAttrs {
  std::vector<UpdateChunk> chunks;
  UpdateBody update;
  size_t slots;
  int64_t slots_begin;  // index of the parameter float at which slots begin
  bool has_further = false;
  KeptWeights kept;
  std::vector<std::vector<Bucket>> kept_ranges;  // by chunk: what is kept in 16 bits
};

// in: params, grads, lr, grad_scale, step, skip, slots ..., further, rounding key; out: 1 if it
// updated
constexpr size_t first_slot = 6;

Types infer_update(const Node&, std::span<const TensorType>) { return {{{}}}; }

std::unique_ptr<Kernel> update_kernel(const Node& n, const KernelSite& site) {
  const UpdateAttrs a = n.attrs<UpdateAttrs>();
  std::vector<In<float>> in;
  for (size_t i = 0; i < first_slot + a.slots + a.has_further; ++i) {
    in.push_back(site.input<float>(static_cast<int>(i)));
  }
  const auto key =
      a.kept.rounds() ? site.input<int64_t>(static_cast<int>(in.size())) : In<int64_t>();
  const auto updated = site.output<float>(0);
  auto kernel = std::make_unique<PhasedKernel>();
  const auto tasks = std::max<size_t>(1, a.chunks.size());  // a share may be empty
  kernel->phase(static_cast<int64_t>(tasks), [=](int task, const KernelArgs& args) {
    const bool skip = in[5](args)[0] != 0;
    if (task == 0) updated(args)[0] = skip ? 0 : 1;
    if (skip || a.chunks.empty()) return;
    const UpdateChunk& chunk = a.chunks[static_cast<size_t>(task)];
    // The update is the only node that writes to its inputs.
    const auto at = [&](size_t i) { return const_cast<float*>(in[i](args)) + chunk.offset; };
    const auto slot = [&](size_t i) { return at(first_slot + i) - a.slots_begin; };
    a.update({.chunk = chunk,
              .lr = in[2](args)[0] * chunk.rate,
              .grad_scale = in[3](args)[0],
              .step = in[4](args)[0],
              .grad = at(1),
              .param = at(0),
              .slots = {a.slots > 0 ? slot(0) : nullptr, a.slots > 1 ? slot(1) : nullptr},
              .further = a.has_further ? in[first_slot + a.slots](args) : nullptr});
    if (!a.kept.rounds()) return;
    // Right after the update of the chunk, which is still in the cache.
    const auto step_key = static_cast<uint64_t>(*key(args));
    for (const Bucket& range : a.kept_ranges[static_cast<size_t>(task)]) {
      const int64_t within = range.begin - chunk.offset;
      a.kept.round(step_key, 0, range.begin, at(0) + within, range.count);
      for (size_t i = 0; i < a.slots; ++i) {
        a.kept.round(step_key, static_cast<int>(i) + 1, range.begin, slot(i) + within, range.count);
      }
    }
  });
  return kernel;
}

// Updates are elementwise, so a chunk may be cut at the end of a share.
std::vector<UpdateChunk> within(const std::vector<UpdateChunk>& chunks, const Bucket& share) {
  std::vector<UpdateChunk> inside;
  for (const UpdateChunk& chunk : chunks) {
    const int64_t begin = std::max(chunk.offset, share.begin);
    const int64_t end = std::min(chunk.offset + chunk.count, share.end());
    if (begin >= end) continue;
    inside.push_back(chunk);
    inside.back().offset = begin;
    inside.back().count = end - begin;
  }
  return inside;
}

// The parts of the sorted ranges that lie in each chunk.
std::vector<std::vector<Bucket>> cut(const std::vector<Bucket>& ranges,
                                     const std::vector<UpdateChunk>& chunks) {
  std::vector<std::vector<Bucket>> of_chunks;
  for (const UpdateChunk& chunk : chunks) {
    std::vector<Bucket>& parts = of_chunks.emplace_back();
    for (const Bucket& range : ranges) {
      const int64_t begin = std::max(chunk.offset, range.begin);
      const int64_t end = std::min(chunk.offset + chunk.count, range.end());
      if (begin < end) parts.push_back({begin, end - begin});
    }
  }
  return of_chunks;
}

class Elementwise final : public Optimizer {
 public:
  Elementwise(const OpDef& op, std::vector<std::string> slots, const WeightDecay& decay,
              UpdateBody update)
      : op_(op), slots_(std::move(slots)), decay_(decay), update_(std::move(update)) {}
  std::vector<std::string> slots() const override { return slots_; }
  void build(Builder& b, const UpdateInputs& in, const StateLayout& layout) const override {
    emit_update(b, op_, in, update_chunks(layout, decay_), update_);
  }

 private:
  const OpDef& op_;
  std::vector<std::string> slots_;
  WeightDecay decay_;
  UpdateBody update_;
};

}  // namespace

std::unique_ptr<Optimizer> elementwise_optimizer(const OpDef& op, std::vector<std::string> slots,
                                                 const WeightDecay& decay, UpdateBody update) {
  return std::make_unique<Elementwise>(op, std::move(slots), decay, std::move(update));
}

OpDef update_op(std::string_view name) {
  return {.name = name, .infer = infer_update, .kernel = update_kernel, .keeps = true};
}

void emit_update(Builder& b, const OpDef& op, const UpdateInputs& in,
                 const std::vector<UpdateChunk>& chunks, UpdateBody update, Value further) {
  expect(in.slots.size() <= 2, "an optimiser has two buffers at most");
  Values args{in.params, in.grads, in.lr, in.grad_scale, in.step, in.skip};
  args.insert(args.end(), in.slots.begin(), in.slots.end());
  if (further) args.push_back(further);
  if (in.kept.rounds()) args.push_back(in.rounding_key);
  const Bucket& share = in.shares.mine();
  std::vector<UpdateChunk> own = within(chunks, share);
  std::vector<std::vector<Bucket>> kept = cut(in.kept_ranges, own);
  b.output("updated",
           b.emit(op, args,
                  UpdateAttrs{std::move(own), std::move(update), in.slots.size(), share.begin,
                              static_cast<bool>(further), in.kept, std::move(kept)}));
}

}  // namespace convoy
