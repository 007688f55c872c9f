#include "train/kernel_choices.h"

#include "ops/conv/algorithm_rules.h"

namespace convoy {
namespace {

// Each text is a rule or the name of a file with rules.
std::vector<AlgorithmRule> rules_of(const std::vector<std::string>& texts,
                                    const std::string& where) {
  std::vector<AlgorithmRule> rules;
  for (const std::string& text : texts) {
    if (ops::looks_like_rule(text)) {
      rules.push_back(ops::parse_rule(text, fmt::format("algorithms ({})", where)));
      continue;
    }
    const std::vector<AlgorithmRule> more = ops::read_rules(text);
    rules.insert(rules.end(), more.begin(), more.end());
  }
  return rules;
}

}  // namespace

void describe_choices(Fields& field, Choices& choices) {
  field("winograd", choices.winograd,
        "3x3 convolutions by Winograd's filters where they pay: auto takes those of 4x4 and 2x2 "
        "pixels, f2 only the more exact ones of 2x2, off none");
  std::vector<std::string> rules = rule_texts(choices);
  field("algorithms", rules,
        "a file that names the algorithm of some convolutions, one `PASS CONVOLUTION ALGORITHM` a "
        "line, or such lines themselves; goes before --winograd. `convoy bench convs "
        "--write-algorithms FILE` writes what is fastest on this machine");
  const Field& read = *find_field(field.all(), "algorithms");
  if (!field.given("algorithms")) return;
  choices.rules = rules_of(rules, read.value.where());
  // The record must be complete without the file.
  field.record("algorithms", rule_texts(choices));
}

std::vector<std::string> rule_texts(const Choices& choices) {
  std::vector<std::string> texts;
  for (const AlgorithmRule& rule : choices.rules) texts.push_back(ops::rule_text(rule));
  return texts;
}

}  // namespace convoy
