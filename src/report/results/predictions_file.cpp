#include "report/results/predictions_file.h"

#include <fmt/format.h>

#include "base/show.h"
#include "base/text/text.h"
#include "config/value.h"
#include "report/runs/followed_file.h"

namespace convoy {
namespace {

constexpr std::string_view head = "index,truth,predicted,confidence,loss", class_mark = "# class ";
constexpr uint64_t most_bytes = uint64_t{256} << 20;

template <class Number>
bool parse(const std::string& text, Number& value) {
  return parse_value(text, value).empty();
}

}  // namespace

std::string predictions_text(const SampleResults& results) {
  std::string text;
  for (const std::string& name : results.classes) {
    text += fmt::format("{}{}\n", class_mark, one_line(name));
  }
  text += fmt::format("{}\n", head);
  for (const SampleResult& one : results.all) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{:.6g},{:.6g}\n", one.index, one.truth,
                   one.predicted, one.confidence, one.loss);
  }
  return text;
}

std::optional<SampleResults> parse_predictions(std::string_view text) {
  SampleResults results;
  for_each_line(text, [&](std::string_view line) {
    if (line.starts_with(class_mark)) {
      results.classes.emplace_back(line.substr(class_mark.size()));
      return;
    }
    const std::vector<std::string> fields = split(line, ',');
    SampleResult one;
    if (fields.size() == 5 && parse(fields[0], one.index) && parse(fields[1], one.truth) &&
        parse(fields[2], one.predicted) && parse(fields[3], one.confidence)) {
      if (!parse(fields[4], one.loss)) one.loss = 0;  // inf, nan
      results.all.push_back(one);
    }
  });
  if (results.all.empty()) return std::nullopt;
  return results;
}

std::optional<SampleResults> read_predictions(const fs::path& file) {
  return parse_predictions(first_lines(file, most_bytes));
}

}  // namespace convoy
