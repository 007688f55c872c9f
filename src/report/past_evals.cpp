#include "report/past_evals.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace convoy {

void PastEvals::add(const EvalDone& eval) {
  last = eval;
  if (!best || eval.top1 > best->top1) best = eval;
}

PastEvals past_evals(std::string_view metrics) {
  PastEvals past;
  while (!metrics.empty()) {
    const size_t end = metrics.find('\n');
    const std::string_view line = metrics.substr(0, end);
    metrics.remove_prefix(end == metrics.npos ? metrics.size() : end + 1);
    if (line.find(R"("event":"eval")") == line.npos) continue;  // most are of steps
    try {
      const nlohmann::json event = parse_json(line);
      EvalDone eval;
      event.at("epoch").get_to(eval.epoch);
      event.at("top1").get_to(eval.top1);
      event.at("correct").get_to(eval.correct);
      event.at("total").get_to(eval.total);
      past.add(eval);
    } catch (const JsonError&) {
    } catch (const nlohmann::json::exception&) {  // a number that is none
    }
  }
  return past;
}

}  // namespace convoy
