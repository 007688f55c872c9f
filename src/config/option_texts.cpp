#include "config/option_texts.h"

namespace convoy {

std::vector<std::string> option_keys(DescribeOptions describe) {
  std::vector<std::string> keys;
  if (!describe) return keys;
  Fields field({});
  describe(field);
  for (const Field& one : field.all()) keys.push_back(one.key);
  return keys;
}

OptionTexts::OptionTexts(std::initializer_list<std::pair<std::string, std::string>> texts) {
  for (const auto& [key, text] : texts) set(key, text);
}

void OptionTexts::describe(Fields& field, DescribeOptions declare) {
  if (!declare) return;
  declare(field);
  for (const std::string& key : option_keys(declare)) {
    const Field* declared = find_field(field.all(), key);
    if (!declared) continue;  // a training option, not declared for evaluation
    if (declared->value.text == declared->default_text) {
      changed_.erase(declared->key);
    } else {
      changed_[declared->key] = declared->value;
    }
  }
}

void OptionTexts::set(const std::string& key, std::string text) {
  changed_[dashed(key)] = {std::move(text), "set"};
}

}  // namespace convoy
