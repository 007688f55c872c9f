// An option is one line in the struct it configures: key, default, help, limits. `Fields` is the
// visitor that receives these lines: it reads values into the struct and collects all declared
// options, for --help and for args.yml.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/words.h"

namespace convoy {

// A value as written, and its origin: "default", "configs/x.yml", "command line". A default that a
// run recorded keeps its value but counts as not given: "recorded default".
struct Setting {
  std::string text;
  std::string origin;
  int line = 0;  // in a file, counted from 1

  // For messages: `configs/x.yml:3`, or only the origin.
  std::string where() const;
  bool is_recorded_default() const { return origin == "recorded default"; }
  bool is_default() const { return origin == "default" || is_recorded_default(); }
};

// Key -> setting, keys with dashes (`batch-size`).
using Settings = std::map<std::string, Setting>;

// A key in the one spelling we keep: `batch_size` -> `batch-size`.
std::string dashed(std::string_view key);

// The allowed values of an option, or of each element of a list (`text` describes them in the help
// and in errors), and other properties of the option.
struct Limits {
  double low = -1e300, high = 1e300;
  std::vector<std::string> choices;
  std::string text;
  bool repeats = false;  // on the command line: every use adds a line to the text
  // Other spellings of choices: spelling -> choice. With `any_case`, capital and small letters are
  // equal in the choices.
  std::map<std::string, std::string> synonyms = {};
  bool any_case = false;
  bool changes_results = true;
  bool for_evaluation = true;
  std::string place;

  // Results do not depend on the option (number of threads, a folder): it is not part of the
  // recipe, and it may differ between the ranks of a run and when a run is resumed.
  Limits no_result() const;
  // The option is for training only: not declared after `Fields::evaluation_only`.
  Limits training_only() const;
  // Help and args.yml list the option directly after this key if that is declared, else at the end.
  Limits after(std::string_view key) const;
};
Limits any_value();
Limits between(double low, double high);
Limits at_least(double low);
Limits one_of(std::vector<std::string> choices);
// The same in any case; synonyms are looked up first, exactly as written.
Limits one_of_any_case(std::vector<std::string> choices,
                       std::map<std::string, std::string> synonyms = {});
Limits repeated();

// One declared option, for help, completion and args.yml.
struct Field {
  std::string section, key;
  // Another declaration of the same key, with its own meaning and default: --rmsprop-epsilon.
  struct Again {
    std::string section, default_text, help;
  };
  std::vector<Again> again;
  std::string type;  // bool, int, number, text, numbers, list
  std::string default_text, help;
  std::vector<std::string> aliases;
  Limits limits;
  Setting value;  // resolved; its text parses back to exactly the same value
};

// The field whose key or alias is `key`, with dashes or underscores; null if there is none.
const Field* find_field(const std::vector<Field>& fields, std::string_view key);

// All keys and aliases of the fields, for `nearest`.
std::vector<std::string> spellings(const std::vector<Field>& fields);

class Fields {
 public:
  // Reads from `settings`, whose keys may have dashes or underscores.
  explicit Fields(const Settings& settings);

  // Starts a group of options in --help.
  void section(std::string_view title);
  // The same for options that are used with one choice of another option: `--optimizer sgd`.
  void section_with(const std::string& choice);

  // Declares one option and reads it into `value` if a setting for the key or an alias exists.
  // Types: bool, int, int64_t, uint64_t, float, double, std::string, std::vector<double>,
  // std::vector<std::string>. A text that does not parse or breaks the limits is a usage error that
  // names key, origin, value and what is allowed; so are two different values under a key and its
  // alias. Another struct may declare the same key again: both read it, `all` lists it once.
  template <class T>
  void operator()(std::string_view key, T& value, std::string_view help, const Limits& limits = {},
                  std::vector<std::string> aliases = {});

  // The same for an enumeration with a table of words (base/text/words.h).
  template <HasWords E>
  void operator()(std::string_view key, E& value, std::string_view help, const Limits& limits = {},
                  std::vector<std::string> aliases = {}) {
    std::string text(word_of(value));
    std::vector<std::string> words;
    for (const Word<E>& word : words_of(value)) words.emplace_back(word.text);
    (*this)(key, text, help, choices_of(std::move(words), limits), std::move(aliases));
    value = *value_of<E>(text);
  }

  // From now on, options for training only are not declared.
  void evaluation_only(bool on) { evaluation_only_ = on; }

  // Replaces the recorded value of a declared option in `all`: the content of a file in place of
  // its name.
  void record(std::string_view key, const std::vector<std::string>& value);

  // Whether a value was set (recipe or command line); whether on the command line.
  bool given(std::string_view key) const;
  bool typed(std::string_view key) const;

  // If `key` is typed, drops the settings of `others` that come from a recipe: of two ways to set
  // one thing, the typed one counts. Needs to be called before these options are declared.
  void displace(std::string_view key, std::initializer_list<std::string_view> others);

  // For an option that has no effect with the other options: whether to refuse it. False if a
  // recipe set it and one of `choosers`, the options that decide whether it has an effect, was
  // typed: then the option counts as not set.
  bool idle(std::string_view key, std::initializer_list<std::string_view> choosers);

  // For an option that needs others: a usage error if it was set (as in `idle`) but `is_met` is
  // false; `with` names the condition: "--momentum above 0". No error: a bool that was set to its
  // default, or a recipe that sets the default.
  void needs(std::string_view key, bool is_met, std::string_view with,
             std::initializer_list<std::string_view> choosers);

  // Call it directly after the declaration of a key that decides which further options exist or
  // what their defaults are. If the key is typed, recorded defaults of other options are dropped,
  // because they belong to the recorded choice.
  void chooses(std::string_view key);

  // Call it last: a setting that was not read is a usage error that names the nearest key. `known`
  // may list more keys (all options of the verb): for one of them the error says that it has no
  // effect with the other options. It is no error if a recipe set it and an option marked by
  // `chooses` was typed.
  void finish(const std::vector<Field>& known = {});

  // Keys of a recipe that count as not set because of typed options.
  const std::vector<std::string>& dropped() const { return dropped_; }

  const std::vector<Field>& all() const { return fields_; }

 private:
  static Limits choices_of(std::vector<std::string> words, Limits limits);
  const Setting* find_setting(const Field& field) const;
  void add(Field field);

  Settings settings_;
  std::vector<Field> fields_;
  std::vector<std::string> choosers_, dropped_;
  bool has_chosen_ = false;  // one of choosers_ was typed
  bool evaluation_only_ = false;
  std::string section_;
};

}  // namespace convoy
