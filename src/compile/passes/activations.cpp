#include "compile/passes/activations.h"

#include <algorithm>
#include <map>

#include "base/text/text.h"
#include "compile/passes/lifetimes.h"
#include "graph/site.h"

namespace convoy {
namespace {

// Values smaller than this share of the largest one are always kept.
constexpr size_t small_share = 256;
// As many floating-point operations take as long as a byte of memory traffic.
constexpr double flops_per_byte = 12;

bool can_repeat(const Node& node) {
  const OpDef& op = *node.op;
  return op.kernel && !op.collective && !op.keeps && !op.runs_early;
}

double time_of(const Graph& graph, const Node& node) {
  const NodeCost cost = cost_of(graph, node);
  return std::max(cost.bytes, cost.flops / flops_per_byte);
}

// The scope's name with the numbers after it: features.2.1 of features.2.1.block.0.0.
std::string block_of(const Node& node) {
  std::vector<std::string> parts = split(node.name, '.');
  parts.pop_back();  // the op
  size_t count = std::min<size_t>(parts.size(), 1);
  while (count < parts.size() &&
         std::ranges::all_of(parts[count], [](char c) { return c >= '0' && c <= '9'; }))
    ++count;
  parts.resize(count);
  return count > 1 ? join(parts, ".") : "";
}

}  // namespace

Activations::Activations(const Graph& graph)
    : values(static_cast<size_t>(graph.value_count())),
      segment(graph.order.size(), 0),
      gradients(graph.order.size(), 0) {
  find_turn(graph);
  find_values(graph);
  find_cheap(graph);
  find_cuts(graph);
  find_segments(graph);
  find_gradients(graph);
}

// The forward pass is what leads to the outputs and the batch statistics.
void Activations::find_turn(const Graph& graph) {
  std::vector<bool> leads(values.size(), false);
  for (const NamedValue& output : graph.outputs) leads[static_cast<size_t>(output.value.id)] = true;
  for (const Stat& stat : graph.stats) {
    if (stat.batch) leads[static_cast<size_t>(stat.batch.id)] = true;
  }
  turn = static_cast<int>(graph.order.size());
  for (size_t at = graph.order.size(); at-- > 0;) {
    const Node& node = graph.node(graph.order[at]);
    const bool any =
        std::ranges::any_of(node.out, [&](Value v) { return leads[static_cast<size_t>(v.id)]; });
    if (any) {
      for (const Value v : node.in) leads[static_cast<size_t>(v.id)] = true;
    } else if (node.op->kernel) {
      turn = static_cast<int>(at);
    }
  }
}

void Activations::find_values(const Graph& graph) {
  size_t largest = 0;
  for (int at = 0; at < turn; ++at) {
    const Node& node = graph.node(graph.order[static_cast<size_t>(at)]);
    for (const Value v : node.out) {
      if (graph.info(v).region->layout != Region::Layout::lifetimes) continue;
      if (graph.is_result(v)) continue;
      One& one = values[static_cast<size_t>(v.id)];
      one.bytes = aligned_bytes(stored_bytes(graph.type(v)));
      one.made = at;
      one.again = can_repeat(node) && (!node.op->again || v == node.out[0]);
      one.time = time_of(graph, node);
      largest = std::max(largest, one.bytes);
    }
  }
  for (One& one : values) {
    if (one.bytes * small_share < largest) one = {};
  }
  for (int at = 0; at < static_cast<int>(graph.order.size()); ++at) {
    for (const Value v : graph.node(graph.order[static_cast<size_t>(at)]).in) {
      One& one = values[static_cast<size_t>(v.id)];
      if (at >= turn && one.first_backward < 0) one.first_backward = at;
      (at < turn ? one.last_forward : one.last_backward) = at;
    }
  }
}

void Activations::find_cheap(const Graph& graph) {
  for (int at = 0; at < turn; ++at) {
    const Node& node = graph.node(graph.order[static_cast<size_t>(at)]);
    bool from_kept = !node.op->flops, alone = true;
    size_t more = 0;  // bytes that are made again for it alone
    for (const Value v : node.in) {
      const One& in = values[static_cast<size_t>(v.id)];
      if (in.bytes == 0) continue;
      from_kept = from_kept && (in.saved() || in.cheap);
      alone = alone && !in.cheap;
      if (in.cheap) more += in.bytes;
    }
    for (const Value v : node.out) {
      One& one = values[static_cast<size_t>(v.id)];
      one.cheap = one.again && from_kept && more <= 2 * one.bytes;
      one.alone = one.cheap && alone;
    }
  }
}

// A cut is where one value alone is carried on, or where fewer bytes are than before and not more
// than after.
void Activations::find_cuts(const Graph& graph) {
  std::vector<std::vector<int>> over(static_cast<size_t>(turn));
  std::vector<size_t> bytes(static_cast<size_t>(turn), 0);
  for (const int id : graph.order) {
    for (const Value v : graph.node(id).out) {
      const One& one = values[static_cast<size_t>(v.id)];
      for (int at = one.made; one.bytes > 0 && at < one.last_forward; ++at) {
        over[static_cast<size_t>(at)].push_back(v.id);
        bytes[static_cast<size_t>(at)] += one.bytes;
      }
    }
  }
  for (size_t at = 1; at + 1 < bytes.size(); ++at) {
    if (bytes[at] == 0 || bytes[at] > bytes[at + 1]) continue;
    if (over[at] == over[at - 1]) {  // nothing large was made or read here
      if (!cuts.empty() && cuts.back() == static_cast<int>(at) - 1)
        cuts.back() = static_cast<int>(at);
      continue;
    }
    if (over[at].size() == 1 || bytes[at] < bytes[at - 1]) cuts.push_back(static_cast<int>(at));
  }
  cuts.push_back(turn - 1);
  for (const int at : cuts)
    carried.push_back(at < 0 ? std::vector<int>{} : over[static_cast<size_t>(at)]);
  carried.back().clear();
}

void Activations::find_segments(const Graph& graph) {
  const auto of = [&](int at) {
    return static_cast<int>(std::ranges::lower_bound(cuts, at) - cuts.begin());
  };
  for (int at = 0; at < turn; ++at) segment[static_cast<size_t>(at)] = of(at);
  int now = segments() - 1;
  for (size_t at = static_cast<size_t>(turn); at < graph.order.size(); ++at) {
    int read = -1;
    for (const Value v : graph.node(graph.order[at]).in) {
      const One& one = values[static_cast<size_t>(v.id)];
      if (one.bytes > 0) read = std::max(read, of(one.made));
    }
    if (read >= 0) now = std::min(now, read);
    segment[at] = now;
  }
}

void Activations::find_gradients(const Graph& graph) {
  Lifetimes lives = find_lifetimes(graph);
  const auto drop = [&](Value v) {
    if (!v) return;
    const int buffer = lives.of_value[static_cast<size_t>(v.id)];
    if (buffer >= 0) lives.buffers[static_cast<size_t>(buffer)].bytes = 0;
  };
  for (const Param& p : graph.params) drop(p.grad);  // in the state, not in the workspace
  for (const Stat& s : graph.stats) drop(s.batch);
  for (Lifetimes::Buffer& buffer : lives.buffers) {
    if (buffer.first < turn) buffer.bytes = 0;
  }
  gradients = lives.in_use(graph.order.size());
}

std::vector<std::string> blocks_of_segments(const Graph& graph, const Activations& activations) {
  std::vector<std::string> names(activations.cuts.size());  // of the last large node with a scope
  std::map<std::string, size_t> last;                       // segment of each block
  for (int at = 0; at < activations.turn; ++at) {
    const Node& node = graph.node(graph.order[static_cast<size_t>(at)]);
    const bool is_large = std::ranges::any_of(
        node.out, [&](Value v) { return activations.values[static_cast<size_t>(v.id)].bytes > 0; });
    if (!is_large || node.name.find('.') == node.name.npos) continue;
    const auto segment = static_cast<size_t>(activations.segment[static_cast<size_t>(at)]);
    names[segment] = block_of(node);
    last[names[segment]] = segment;
  }
  for (size_t s = 0; s < names.size(); ++s) {
    if (!names[s].empty() && last[names[s]] != s) names[s].clear();
  }
  return names;
}

}  // namespace convoy
