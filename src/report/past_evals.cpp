#include "report/past_evals.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text/json.h"

namespace convoy {

void PastEvals::add(const EvalDone& eval) {
  last = eval;
  const Metric* now = main_metric(eval.metrics);
  if (!now) return;
  if (!best || now->is_better_than(*main_metric(best->metrics))) best = eval;
}

PastEvals past_evals(std::string_view metrics, std::span<const MetricDef> defs) {
  PastEvals past;
  const auto main = std::ranges::find_if(defs, [](const MetricDef& def) { return def.is_main; });
  if (main == defs.end()) return past;
  while (!metrics.empty()) {
    const size_t end = metrics.find('\n');
    const std::string_view line = metrics.substr(0, end);
    metrics.remove_prefix(end == metrics.npos ? metrics.size() : end + 1);
    if (line.find(R"("event":"eval")") == line.npos) continue;  // most lines are steps
    try {
      const nlohmann::json event = parse_json(line);
      EvalDone eval;
      event.at("epoch").get_to(eval.epoch);
      Metric metric{&*main};
      event.at(main->name).get_to(metric.value);
      if (!main->hits.empty()) event.at(main->hits).get_to(metric.hits);
      eval.metrics = {metric};
      event.at("total").get_to(eval.total);
      past.add(eval);
    } catch (const JsonError&) {
    } catch (const nlohmann::json::exception&) {  // not a valid number
    }
  }
  return past;
}

}  // namespace convoy
