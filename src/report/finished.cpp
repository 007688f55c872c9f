#include "report/finished.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace convoy {

std::optional<FinishedRun> finished_run(const RunDir& dir) {
  if (!fs::exists(dir.metrics())) return std::nullopt;
  const std::string text = read_file(dir.metrics(), Fault::checkpoint);
  if (text.empty() || text.back() != '\n') return std::nullopt;
  const size_t begin = text.rfind('\n', text.size() - 2);
  const auto line = nlohmann::json::parse(text.substr(begin == std::string::npos ? 0 : begin + 1),
                                          nullptr, false);
  if (!line.is_object() || line.value("event", "") != "run_end" || line.value("exit", -1) != 0)
    return std::nullopt;
  return FinishedRun{line.value("step", int64_t{0}), line.value("weights_hash", "")};
}

bool say_if_finished(const RunDir& dir) {
  const std::optional<FinishedRun> end = finished_run(dir);
  if (!end) return false;
  fmt::print("{} has finished: step {}\nweights {}\n", dir.path().string(), end->step,
             end->weights_hash);
  return true;
}

}  // namespace convoy
