// Commands of other programs as tests give them: words as in a shell, and an environment.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "app/dialects/explain.h"
#include "app/dialects/run_dialect.h"
#include "base/error.h"
#include "base/text/text.h"
#include "launch/mpirun.h"
#include "train/run/run_config.h"

namespace convoy::test {

using Variables = std::map<std::string, std::string>;

inline DialectEnvironment environment_of(const Variables& variables) {
  return [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

// "A=1 B=x,y".
inline Variables variables_of(const std::string& text) {
  Variables all;
  for (const std::string& word : split_at_blanks(text)) {
    const size_t equals = word.find('=');
    all[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return all;
}

// `command` begins with "convoy".
inline TranslatedCommand translated(const std::string& command, const Variables& variables = {}) {
  std::vector<std::string> words = shell_words(command, "a command of the table");
  expect(words.size() >= 2 && words[0] == "convoy", "a command begins with convoy");
  const Dialect* dialect = find_dialect(words[1]);
  expect(dialect != nullptr, "no dialect " + words[1]);
  words.erase(words.begin(), words.begin() + 2);
  return translate_dialect(*dialect, words, environment_of(variables));
}

inline nlohmann::ordered_json explained(const std::string& command,
                                        const Variables& variables = {}) {
  return explained_json(*translated(command, variables).plan);
}

inline std::vector<Field> run_fields() {
  Fields field({});
  RunConfig::describe_all(field);
  return field.all();
}

// The options that change a result and differ from their defaults, without those of `left_out`.
inline std::map<std::string, std::string> recipe_of(Settings settings,
                                                    const std::set<std::string>& left_out) {
  for (const std::string& key : left_out) settings.erase(key);
  Fields field(settings);
  RunConfig config;
  config.data.may_be_absent = true;
  config.describe(field);
  return config.recipe();
}

}  // namespace convoy::test
