// Makes kernels and assigns an offset to every value: in the workspace by lifetimes, in the state
// by the layout of parameters and statistics. In the workspace the largest buffers are placed
// first, each at the lowest offset where it overlaps no buffer with an intersecting lifetime.

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "compile/passes/lifetimes.h"
#include "compile/passes/passes.h"
#include "graph/site.h"
#include "tensor/arena.h"

namespace convoy {
namespace {

size_t place_buffers(std::vector<Lifetimes::Buffer>& buffers) {
  std::vector<size_t> by_size(buffers.size());
  std::iota(by_size.begin(), by_size.end(), size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  std::vector<const Lifetimes::Buffer*> placed;  // sorted by offset
  size_t total = 0;
  for (const size_t i : by_size) {
    Lifetimes::Buffer& mine = buffers[i];
    size_t offset = 0;
    for (const Lifetimes::Buffer* other : placed) {
      if (other->last < mine.first || mine.last < other->first) continue;
      if (offset + mine.bytes <= other->offset) break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    mine.offset = offset;
    total = std::max(total, offset + mine.bytes);
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), &mine,
                         [](const auto* a, const auto* b) { return a->offset < b->offset; }),
        &mine);
  }
  return total;
}

// Gradients and batch statistics are written directly into the state.
void settle_results(Graph& graph) {
  const auto settle = [&](Value v, const Region& region, size_t slot) {
    ValueInfo& info = graph.info(v);
    expect(info.region == &regions::workspace, "a result is written to one place");
    expect(info.type.dtype == DType::f32, "the state holds fp32");
    info.region = &region;
    info.slot = static_cast<int>(slot);
  };
  for (size_t i = 0; i < graph.params.size(); ++i) {
    if (graph.params[i].grad) settle(graph.params[i].grad, regions::grads, i);
  }
  for (size_t i = 0; i < graph.stats.size(); ++i) {
    if (graph.stats[i].batch) settle(graph.stats[i].batch, regions::batch_stats, i);
  }
}

// The next offset in a region of the layout `apart`.
size_t take_apart(Plan& plan, const Region* region, size_t bytes) {
  auto& all = plan.apart;
  auto found = std::ranges::find(all, region, &std::pair<const Region*, size_t>::first);
  if (found == all.end()) found = all.insert(all.end(), {region, 0});
  return std::exchange(found->second, found->second + aligned_bytes(bytes));
}

size_t offset_of(const Graph& graph, Value v, const Lifetimes& lives, Plan& plan) {
  const ValueInfo& info = graph.info(v);
  const auto slot = static_cast<size_t>(info.slot);
  // A view is a whole buffer of the state: number `slot` of several of the same size.
  if (graph.node(info.node).op == &view_op) return slot * stored_bytes(info.type);
  switch (info.region->layout) {
    case Region::Layout::lifetimes:
      return lives.buffers[static_cast<size_t>(lives.of_value[static_cast<size_t>(v.id)])].offset;
    case Region::Layout::apart:
      return take_apart(plan, info.region, stored_bytes(info.type));
    case Region::Layout::caller:  // no offset: the number of the input (compile/plan.h: Place)
      return slot;
    case Region::Layout::params:
      return float_bytes(plan.state.params[slot].offset);
    case Region::Layout::stats:
      return float_bytes(plan.state.stats[slot].offset);
    case Region::Layout::views:
      break;
  }
  raise(Fault::bug, "internal error: a value in {} that is no view", info.region->name);
}

}  // namespace

StateLayout lay_out_state(const Graph& graph) {
  StateLayout layout;
  const auto aligned = [](int64_t floats) {
    return round_up(floats, Arena::alignment / sizeof(float));
  };
  for (const Param& p : graph.params) {
    layout.params.push_back({.name = p.name,
                             .shape = p.shape,
                             .init = p.init,
                             .decay = p.decay,
                             .rate = p.rate,
                             .count = p.shape.count()});
  }
  for (const Stat& s : graph.stats) {
    layout.stats.push_back({.name = s.name,
                            .shape = s.shape,
                            .init = {},
                            .decay = false,
                            .rate = s.batch ? 1.0f : 0.0f,  // 0: not updated
                            .start = s.start,
                            .count = s.shape.count()});
  }
  // Backwards: the backward pass completes the gradients of the last parameters first.
  for (auto slot = layout.params.rbegin(); slot != layout.params.rend(); ++slot) {
    slot->offset = layout.param_floats;
    layout.param_floats += aligned(slot->count);
  }
  for (StateLayout::Slot& slot : layout.stats) {
    slot.offset = layout.stat_floats;
    layout.stat_floats += aligned(slot.count);
  }
  return layout;
}

Plan plan_memory(Graph& graph, bool packs_once) {
  settle_results(graph);
  Plan plan;
  plan.packs_once = packs_once;
  plan.state = lay_out_state(graph);
  Lifetimes lives = find_lifetimes(graph);
  plan.workspace_bytes = place_buffers(lives.buffers);
  plan.least_bytes = lives.most_at_once();
  plan.places.resize(static_cast<size_t>(graph.value_count()));
  std::map<int, size_t> packed_at;  // by node
  for (const int id : graph.order) {
    const Node& node = graph.node(id);
    for (const Value v : node.out) {
      plan.places[static_cast<size_t>(v.id)] = {graph.info(v).region,
                                                offset_of(graph, v, lives, plan)};
    }
    if (!node.op->kernel) continue;
    const KernelSite site = site_of(graph, node);
    PlanOp op{id, node.op->kernel(node, site), {}, {}};
    for (const Value v : node.in) op.in.push_back(plan.places[static_cast<size_t>(v.id)]);
    for (const Value v : node.out) op.out.push_back(plan.places[static_cast<size_t>(v.id)]);
    // Without `packs_once`, packed parameters are behind the kernel's scratch.
    const size_t packed = aligned_bytes(op.kernel->packed_bytes());
    const size_t scratch = aligned_bytes(op.kernel->scratch_bytes());
    // A node that is made again has the parameters of the first one, and so the same packed form.
    const auto first = packed_at.find(node.again_of);
    const bool is_packed = packs_once && first != packed_at.end();
    op.packed_offset = is_packed ? first->second : packs_once ? plan.packed_bytes : scratch;
    if (packs_once && !is_packed) {
      packed_at[id] = plan.packed_bytes;
      plan.packed_bytes += packed;
    }
    plan.scratch_bytes = std::max(plan.scratch_bytes, packs_once ? scratch : scratch + packed);
    plan.worker_scratch_bytes =
        std::max(plan.worker_scratch_bytes, op.kernel->worker_scratch_bytes());
    if (node.op->flops) {
      const double flops = node.op->flops(node, site);
      plan.flops += flops;
      if (node.again_of >= 0) plan.flops_again += flops;
    }
    plan.ops.push_back(std::move(op));
  }
  return plan;
}

}  // namespace convoy
