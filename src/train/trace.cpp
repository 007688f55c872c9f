#include "train/trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace convoy {
namespace {

constexpr std::string_view opening = "{\"traceEvents\":[\n", ending = "\n],";

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// Rounds to nanoseconds first, so that adjacent events do not overlap by rounding.
long long nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

// Rates and the share of the roof: the time that the arithmetic or the memory traffic alone would
// take, whichever is longer, of the time it took.
std::string args_of(const TraceWork& work, double seconds, const MachineSpeed& speed) {
  std::string text = fmt::format(
      ",\"args\":{{\"shape\":{},\"implementation\":{},\"flops\":{:.0f},\"bytes\":{:.0f}",
      quoted(work.shape), quoted(work.implementation), work.flops, work.bytes);
  if (seconds > 0) {
    text += fmt::format(",\"gflop_per_s\":{:.3f},\"gb_per_s\":{:.3f}", work.flops / seconds / 1e9,
                        work.bytes / seconds / 1e9);
    if (speed.flops > 0 && speed.bytes > 0) {
      const double least = std::max(work.flops / speed.flops, work.bytes / speed.bytes);
      text += fmt::format(",\"share_of_roof\":{:.4f}", least / seconds);
    }
  }
  return text + "}";
}

std::string metadata(const char* name, int process, int lane, const std::string& args) {
  return fmt::format("{{\"name\":\"{}\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{{}}}}}", name,
                     process, lane, args);
}

}  // namespace

void Trace::name_lane(int lane, std::string name) {
  const std::lock_guard lock(mutex_);
  lanes_[lane] = std::move(name);
}

void Trace::add(std::string name, const char* category, double begin, double end, int lane,
                const TraceWork* work) {
  const std::lock_guard lock(mutex_);
  events_.push_back({std::move(name), category, begin, end, lane, work});
}

void Trace::count(const char* name, double time, double value) {
  const std::lock_guard lock(mutex_);
  counts_.push_back({name, time, value});
}

std::string Trace::head(const MachineSpeed& speed) const {
  const int rank = process_.rank;
  const std::string name = fmt::format(
      "rank {}{}", rank, process_.host.empty() ? "" : fmt::format(" ({})", process_.host));
  std::string text(opening);
  text += metadata("process_name", rank, 0, "\"name\":" + quoted(name));
  text += ",\n" + metadata("process_sort_index", rank, 0, fmt::format("\"sort_index\":{}", rank));
  text += ",\n" + metadata("machine_speed", rank, 0,
                           fmt::format("\"gflop_per_s\":{:.3f},\"gb_per_s\":{:.3f},"
                                       "\"processes\":{}",
                                       speed.flops / 1e9, speed.bytes / 1e9, process_.processes));
  text += ",\n" + metadata("thread_name", rank, 0, "\"name\":\"training\"");
  for (const auto& [lane, lane_name] : lanes_) {
    text += ",\n" + metadata("thread_name", rank, lane, "\"name\":" + quoted(lane_name));
    text +=
        ",\n" + metadata("thread_sort_index", rank, lane, fmt::format("\"sort_index\":{}", lane));
  }
  return text;
}

std::string Trace::text(const MachineSpeed& speed, double shift) const {
  const std::lock_guard lock(mutex_);
  std::string text = head(speed);
  for (const Event& e : events_) {
    const long long begin = nanoseconds(e.begin + shift);
    const long long length = std::max(nanoseconds(e.end + shift) - begin, 0LL);
    text += fmt::format(
        ",\n{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{}.{:03},\"dur\":{}.{:03},\"pid\":{},"
        "\"tid\":{}{}}}",
        quoted(e.name), e.category, begin / 1000, begin % 1000, length / 1000, length % 1000,
        process_.rank, e.lane, e.work ? args_of(*e.work, e.end - e.begin, speed) : "");
  }
  for (const Count& c : counts_) {
    const long long time = nanoseconds(c.time + shift);
    text += fmt::format(
        ",\n{{\"name\":{},\"ph\":\"C\",\"ts\":{}.{:03},\"pid\":{},\"tid\":0,\"args\":{{"
        "\"value\":{}}}}}",
        quoted(c.name), time / 1000, time % 1000, process_.rank, c.value);
  }
  return text + std::string(ending) + "\"displayTimeUnit\":\"ms\"}\n";
}

std::string merged_traces(const std::vector<std::string>& texts) {
  std::string all(opening);
  for (const std::string& text : texts) {
    if (all.size() > opening.size()) all += ",\n";
    all += std::string_view(text).substr(opening.size(), text.rfind(ending) - opening.size());
  }
  return all + std::string(ending) + "\"displayTimeUnit\":\"ms\"}\n";
}

}  // namespace convoy
