#include "report/finished.h"

#include <nlohmann/json.hpp>

#include "base/show.h"

namespace convoy {

bool say_if_finished(const RunDir& dir) {
  if (!fs::exists(dir.metrics())) return false;
  const std::string text = read_file(dir.metrics(), Fault::checkpoint);
  if (text.empty() || text.back() != '\n') return false;
  const size_t begin = text.rfind('\n', text.size() - 2);
  const auto line = nlohmann::json::parse(text.substr(begin == std::string::npos ? 0 : begin + 1),
                                          nullptr, false);
  if (line.is_discarded() || line.value("event", "") != "run_end" || line.value("exit", -1) != 0)
    return false;
  show("{} has finished: step {}\nweights {}\n", dir.path().string(), line.value("step", 0),
       line.value("weights_hash", ""));
  return true;
}

}  // namespace convoy
