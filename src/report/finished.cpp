#include "report/finished.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace convoy {
namespace {

// A last line that is no whole event was torn off; the run goes on and writes it again.
bool ends_well(const nlohmann::json& line) {
  const auto is = [&](const char* key, const nlohmann::json& value) {
    const auto found = line.find(key);
    return found != line.end() && *found == value;
  };
  return line.is_object() && is("event", "run_end") && is("exit", 0);
}

std::string text_of(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end()) return "?";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

bool say_if_finished(const RunDir& dir) {
  if (!fs::exists(dir.metrics())) return false;
  const std::string text = read_file(dir.metrics(), Fault::checkpoint);
  if (text.empty() || text.back() != '\n') return false;
  const size_t begin = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
  const auto line = nlohmann::json::parse(text.substr(begin == std::string::npos ? 0 : begin + 1),
                                          nullptr, false);
  if (!ends_well(line)) return false;
  fmt::print("{} has finished: step {}\nweights {}\n", dir.path().string(), text_of(line, "step"),
             text_of(line, "weights_hash"));
  return true;
}

}  // namespace convoy
