#include "app/predict/predictions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "data/classes/imagenet_classes.h"

namespace convoy {

std::vector<Guess> likeliest(std::span<const float> logits, int64_t count) {
  std::vector<int64_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto logit = [&](int64_t k) { return logits[static_cast<size_t>(k)]; };
  const auto comes_first = [&](int64_t a, int64_t b) {
    const bool a_is_nan = std::isnan(logit(a)), b_is_nan = std::isnan(logit(b));
    if (a_is_nan != b_is_nan) return a_is_nan;
    if (!a_is_nan && logit(a) != logit(b)) return logit(a) > logit(b);
    return a < b;
  };
  const auto kept =
      static_cast<ptrdiff_t>(std::min<size_t>(static_cast<size_t>(count), order.size()));
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), comes_first);

  const double top = order.empty() ? 0 : static_cast<double>(logit(order[0]));
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x) - top);
  std::vector<Guess> guesses;
  for (auto at = order.begin(); at != order.begin() + kept; ++at) {
    guesses.push_back({*at, std::exp(static_cast<double>(logit(*at)) - top) / sum});
  }
  return guesses;
}

std::string class_name(const std::vector<std::string>& names, int64_t label) {
  const auto at = static_cast<size_t>(label);
  return at < names.size() && !names[at].empty() ? names[at] : fmt::format("class {}", label);
}

std::string json_line(const Prediction& prediction, const std::vector<std::string>& names) {
  using Json = nlohmann::ordered_json;
  Json top = Json::array();
  for (const Guess& guess : prediction.top) {
    top.push_back(
        {{"class", guess.label}, {"name", class_name(names, guess.label)}, {"p", guess.p}});
  }
  Json line{{"index", prediction.index}};
  if (!prediction.file.empty()) line["file"] = prediction.file;
  line["top"] = std::move(top);
  if (prediction.label) line["label"] = *prediction.label;
  return json_text(line) + "\n";
}

std::string text_line(const Prediction& prediction, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  for (const Guess& guess : prediction.top) {
    const std::string name = class_name(names, guess.label);
    const std::string_view word = imagenet_name(name);  // the English word for an id
    parts.push_back(
        fmt::format("{}{}{} {:.1f}%", name, word.empty() ? "" : " ", word, 100 * guess.p));
  }
  std::string verdict, truth;
  if (prediction.label) {
    const bool is_right = !prediction.top.empty() && prediction.top[0].label == *prediction.label;
    verdict = is_right ? "right  " : "wrong  ";
    if (!is_right) truth = fmt::format("  (is {})", class_name(names, *prediction.label));
  }
  const std::string which =
      prediction.file.empty() ? std::to_string(prediction.index) : prediction.file;
  return shown("{:>6}  {}{}{}\n", which, verdict, join(parts, ", "), truth);
}

}  // namespace convoy
