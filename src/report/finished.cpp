#include "report/finished.h"

#include <nlohmann/json.hpp>

#include "base/show.h"
#include "base/text/json.h"

namespace convoy {

std::optional<FinishedRun> read_finished_run(std::string_view metrics) {
  if (!metrics.ends_with('\n')) return std::nullopt;
  metrics.remove_suffix(1);
  try {
    const auto line = parse_json(metrics.substr(metrics.rfind('\n') + 1));
    if (!line.is_object() || line.value("event", "") != "run_end" || line.value("exit", -1) != 0) {
      return std::nullopt;
    }
    return FinishedRun{line.value("step", int64_t{0}), line.value("weights_hash", "")};
  } catch (const JsonError&) {
  } catch (const nlohmann::json::exception&) {  // a field of another type, as a string for the step
  }
  return std::nullopt;
}

std::optional<FinishedRun> finished_run(const RunDir& dir) {
  if (!fs::exists(dir.metrics())) return std::nullopt;
  return read_finished_run(read_file(dir.metrics(), Fault::checkpoint));
}

bool say_if_finished(const RunDir& dir) {
  const std::optional<FinishedRun> end = finished_run(dir);
  if (!end) return false;
  show("{} has finished: step {}\nweights {}\n", dir.path().string(), end->step, end->weights_hash);
  return true;
}

}  // namespace convoy
