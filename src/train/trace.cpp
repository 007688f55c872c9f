#include "train/trace.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace convoy {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void Trace::name_lane(int lane, std::string name) { lanes_.emplace_back(lane, std::move(name)); }

void Trace::add(std::string name, const char* category, double begin, double end, int lane) {
  events_.push_back({std::move(name), category, begin, end, lane});
}

void Trace::write(const fs::path& file) const {
  std::string text = fmt::format(
      "{{\"traceEvents\":[\n{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},\"tid\":0,"
      "\"args\":{{\"name\":\"rank {}\"}}}}",
      process_, process_);
  for (const auto& [lane, name] : lanes_) {
    text += fmt::format(
        ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}"
        "}",
        process_, lane, quoted(name));
  }
  // Rounds to nanoseconds first, so that adjacent events do not overlap by rounding.
  const auto nanoseconds = [](double seconds) { return std::llround(seconds * 1e9); };
  for (const Event& e : events_) {
    const long long begin = nanoseconds(e.begin), length = nanoseconds(e.end) - begin;
    text += fmt::format(
        ",\n{{\"name\":{},\"cat\":\"{}\",\"ph\":\"X\",\"ts\":{}.{:03},\"dur\":{}.{:03},\"pid\":{},"
        "\"tid\":{}}}",
        quoted(e.name), e.category, begin / 1000, begin % 1000, length / 1000, length % 1000,
        process_, e.lane);
  }
  text += "\n],\"displayTimeUnit\":\"ms\"}\n";
  make_folders(file.parent_path(), Fault::checkpoint);
  write_atomically(file, text, Fault::checkpoint);
}

}  // namespace convoy
