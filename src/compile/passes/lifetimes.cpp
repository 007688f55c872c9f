#include "compile/passes/lifetimes.h"

#include <algorithm>

#include "tensor/arena.h"

namespace convoy {
namespace {

// By value: the last position that reads it; -1: none; results are read after the last node.
std::vector<int> last_reads(const Graph& graph) {
  std::vector<int> last(static_cast<size_t>(graph.value_count()), -1);
  for (size_t at = 0; at < graph.order.size(); ++at) {
    for (const Value v : graph.node(graph.order[at]).in)
      last[static_cast<size_t>(v.id)] = static_cast<int>(at);
  }
  for (const Value v : graph.results())
    last[static_cast<size_t>(v.id)] = static_cast<int>(graph.order.size());
  // A node that runs early (order_nodes has moved it) begins an exchange, which uses its inputs and
  // outputs until the last reader of its first output has run.
  for (const int id : graph.order) {
    const Node& node = graph.node(id);
    if (!node.op->runs_early) continue;
    const int end = last[static_cast<size_t>(node.out[0].id)];
    for (const Values* list : {&node.in, &node.out}) {
      for (const Value v : *list) {
        int& held = last[static_cast<size_t>(v.id)];
        held = std::max(held, end);
      }
    }
  }
  return last;
}

}  // namespace

size_t aligned_bytes(size_t bytes) {
  return static_cast<size_t>(round_up(static_cast<int64_t>(bytes), Arena::alignment));
}

Lifetimes find_lifetimes(const Graph& graph) {
  const std::vector<int> last = last_reads(graph);
  Lifetimes lives;
  lives.of_value.assign(static_cast<size_t>(graph.value_count()), -1);
  for (int at = 0; at < static_cast<int>(graph.order.size()); ++at) {
    const Node& node = graph.node(graph.order[static_cast<size_t>(at)]);
    for (size_t i = 0; i < node.out.size(); ++i) {
      const Value out = node.out[i];
      if (graph.info(out).region->layout != Region::Layout::lifetimes) continue;
      const int until = std::max(at, last[static_cast<size_t>(out.id)]);
      const size_t bytes = aligned_bytes(stored_bytes(graph.type(out)));
      if (i == 0 && node.op->inplace_input >= 0) {
        const Value in = node.in[static_cast<size_t>(node.op->inplace_input)];
        const int shared = lives.of_value[static_cast<size_t>(in.id)];
        if (shared >= 0 && last[static_cast<size_t>(in.id)] == at &&
            lives.buffers[static_cast<size_t>(shared)].bytes == bytes &&
            std::count(node.in.begin(), node.in.end(), in) == 1) {
          lives.buffers[static_cast<size_t>(shared)].last = until;
          lives.of_value[static_cast<size_t>(out.id)] = shared;
          continue;
        }
      }
      lives.of_value[static_cast<size_t>(out.id)] = static_cast<int>(lives.buffers.size());
      lives.buffers.push_back({bytes, at, until});
    }
  }
  return lives;
}

std::vector<size_t> Lifetimes::in_use(size_t positions) const {
  std::vector<size_t> bytes(positions + 1, 0), freed(positions + 1, 0);
  for (const Buffer& buffer : buffers) {
    bytes[static_cast<size_t>(buffer.first)] += buffer.bytes;
    const auto end = std::min(positions, static_cast<size_t>(buffer.last) + 1);
    freed[end] += buffer.bytes;
  }
  for (size_t at = 1; at < bytes.size(); ++at) bytes[at] += bytes[at - 1] - freed[at];
  bytes.pop_back();
  return bytes;
}

size_t Lifetimes::most_at_once() const {
  int end = 0;
  for (const Buffer& buffer : buffers) end = std::max(end, buffer.last);
  const std::vector<size_t> all = in_use(static_cast<size_t>(end) + 1);
  return *std::ranges::max_element(all);
}

}  // namespace convoy
