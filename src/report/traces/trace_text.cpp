#include "report/traces/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/show.h"
#include "base/text/json_text.h"

namespace convoy {
namespace {

double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

// The time that arithmetic or memory traffic alone would take, of the time it took.
double share_of_roof(const TracedRank& rank, const TracedOp& op) {
  if (rank.peak_flops <= 0 || rank.peak_bytes <= 0 || op.seconds <= 0) return 0;
  return std::max(op.flops / rank.peak_flops, op.bytes / rank.peak_bytes) / op.seconds;
}

bool is_bound_by_memory(const TracedRank& rank, const TracedOp& op) {
  return op.flops * rank.peak_bytes < op.bytes * rank.peak_flops;
}

std::span<const TracedOp> first(const TracedRank& rank, int top) {
  const auto count =
      top > 0 ? std::min<size_t>(static_cast<size_t>(top), rank.ops.size()) : rank.ops.size();
  return std::span(rank.ops).first(count);
}

std::string op_lines(const TracedRank& rank, int top) {
  const auto steps = static_cast<double>(rank.steps);
  std::string text = fmt::format("{:>9} {:>6} {:>9} {:>6} {:>7} {:>6}  {:<26} {}\n", "ms/step",
                                 "share", "GFLOP/s", "peak", "GB/s", "roof", "op", "what");
  for (const TracedOp& op : first(rank, top)) {
    const double rate = per_second(op.flops, op.seconds);
    const bool has_rate = op.flops > 0;
    text += shown("{:9.3f} {:5.1f}% {:>9} {:>6} {:7.1f} {:5.0f}%  {:<26} {}\n",
                  1e3 * op.seconds / steps, 100 * per_second(op.seconds, rank.ops_seconds()),
                  has_rate ? fmt::format("{:.1f}", rate / 1e9) : "",
                  has_rate ? fmt::format("{:.0f}%", 100 * per_second(rate, rank.peak_flops)) : "",
                  per_second(op.bytes, op.seconds) / 1e9, 100 * share_of_roof(rank, op), op.op,
                  op.name + " " + op.shape + " " + op.implementation);
  }
  return text;
}

// Of the ops, those that memory limits, and how near all are to the roof.
std::string kernel_advice(const TracedRank& rank) {
  double memory = 0, roof = 0, slow_convolutions = 0;
  for (const TracedOp& op : rank.ops) {
    const double share = per_second(op.seconds, rank.ops_seconds());
    const double of_roof = share_of_roof(rank, op);
    memory += is_bound_by_memory(rank, op) ? share : 0;
    roof += share * std::min(of_roof, 1.0);
    constexpr double low = 0.6;
    if (op.op.find("conv") != std::string::npos && of_roof < low) slow_convolutions += share;
  }
  std::string text = fmt::format(
      "kernel-bound: ops take {:.0f}% of a step, at {:.0f}% of the machine's roof on average; "
      "memory limits {:.0f}% of their time",
      100 * rank.share("ops"), 100 * roof, 100 * memory);
  constexpr double many = 0.3;
  if (slow_convolutions > many) {
    return text + "; try: convoy bench convs --write-algorithms FILE, then --algorithms FILE";
  }
  if (memory > 0.5) return text + "; try: fewer threads per process and more processes (--pin)";
  return text + "; try: more cores (convoy launch), or a smaller --image-size at the start";
}

}  // namespace

std::string trace_advice(const TracedRank& rank) {
  switch (bottleneck_of(rank)) {
    case Bottleneck::data:
      return fmt::format(
          "data-bound: a step waits {:.0f}% of its time for data, and {} loader threads work "
          "{:.0f}% of the time; try: more --workers or --prefetch; convoy bench data tells the "
          "rate of a thread",
          100 * rank.share("data wait"), rank.loader_threads,
          100 * per_second(rank.loader_seconds, rank.span_seconds * rank.loader_threads));
    case Bottleneck::exchange:
      return fmt::format(
          "exchange-bound: a step waits {:.0f}% of its time for other ranks; try: a larger "
          "--batch-size or --gradient-accumulation-count, --exchange-precision bf16; if one rank "
          "has longer ops than the others, its host is slow",
          100 * rank.share("exchange wait"));
    default:
      return kernel_advice(rank);
  }
}

std::string trace_text(std::span<const TracedRank> ranks, int top) {
  std::string text;
  for (const TracedRank& rank : ranks) {
    const auto steps = static_cast<double>(rank.steps);
    const double rest =
        1 - rank.share("ops") - rank.share("data wait") - rank.share("exchange wait");
    if (!text.empty()) text += "\n";
    text += shown(
        "{}: {} steps of {:.4f} s: ops {:.1f}%, data wait {:.1f}%, exchange wait "
        "{:.1f}%, other {:.1f}%\n",
        rank.title, rank.steps, rank.step_seconds / steps, 100 * rank.share("ops"),
        100 * rank.share("data wait"), 100 * rank.share("exchange wait"),
        100 * std::max(rest, 0.0));
    for (const char* part : {"evaluation", "checkpoint"}) {
      if (rank.part(part) > 0) {
        text += fmt::format("between the steps: {} {:.3f} s\n", part, rank.part(part));
      }
    }
    text += op_lines(rank, top) + trace_advice(rank) + "\n";
  }
  return text;
}

std::string trace_json(std::span<const TracedRank> ranks, int top) {
  auto all = nlohmann::ordered_json::array();
  for (const TracedRank& rank : ranks) {
    const auto steps = static_cast<double>(rank.steps);
    auto ops = nlohmann::ordered_json::array();
    for (const TracedOp& op : first(rank, top)) {
      const double rate = per_second(op.flops, op.seconds);
      ops.push_back({{"op", op.op},
                     {"name", op.name},
                     {"shape", op.shape},
                     {"implementation", op.implementation},
                     {"step_s", op.seconds / steps},
                     {"gflops", rate / 1e9},
                     {"share_of_peak", per_second(rate, rank.peak_flops)},
                     {"gb_per_s", per_second(op.bytes, op.seconds) / 1e9},
                     {"share_of_roof", share_of_roof(rank, op)}});
    }
    constexpr std::array words{"kernels", "data", "exchange"};
    all.push_back({{"rank", rank.rank},
                   {"steps", rank.steps},
                   {"step_s", rank.step_seconds / steps},
                   {"ops_s", rank.ops_seconds() / steps},
                   {"data_wait_s", rank.part("data wait") / steps},
                   {"exchange_wait_s", rank.part("exchange wait") / steps},
                   {"peak_gflops", rank.peak_flops / 1e9},
                   {"memory_gb_per_s", rank.peak_bytes / 1e9},
                   {"bound_by", words[static_cast<size_t>(bottleneck_of(rank))]},
                   {"advice", trace_advice(rank)},
                   {"ops", std::move(ops)}});
  }
  return json_text(nlohmann::ordered_json{{"ranks", std::move(all)}}) + "\n";
}

}  // namespace convoy
