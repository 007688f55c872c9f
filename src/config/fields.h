// An option is one line in the struct it configures: key, default, help, limits. `Fields` is the
// visitor those lines talk to: it reads values, explains them for --help, or records them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/words.h"

namespace convoy {

// A value as it was written, and where: "default", "configs/x.yml", "command line". What a run had
// as a default and recorded holds again, but counts as not given: "recorded default".
struct Setting {
  std::string text;
  std::string origin;
  int line = 0;  // in a file, counted from 1

  // For messages: `configs/x.yml:3`, or the origin alone.
  std::string where() const;
  bool is_recorded_default() const { return origin == "recorded default"; }
  bool is_default() const { return origin == "default" || is_recorded_default(); }
};

// Key -> setting, keys with dashes (`batch-size`).
using Settings = std::map<std::string, Setting>;

// A key in the one spelling we keep: `batch_size` -> `batch-size`.
std::string dashed(std::string_view key);

// What a value, or each element of a list, may be (the text goes into help and into the error), and
// what else is to be known of the option.
struct Limits {
  double low = -1e300, high = 1e300;
  std::vector<std::string> choices;
  std::string text;
  bool repeats = false;  // on the command line: every time adds a line to the text
  // Other spellings of choices, as written -> choice; where `any_case`, small and capital letters
  // are the same besides.
  std::map<std::string, std::string> synonyms = {};
  bool any_case = false;
  bool changes_results = true;
  bool for_evaluation = true;
  std::string place;

  // No result depends on the option (how many threads, which folder): no part of the recipe, and it
  // may differ between the processes of a run and when a run goes on.
  Limits no_result() const;
  // It means something in training alone: left out where `Fields::evaluation_only` was called.
  Limits training_only() const;
  // Help and args.yml list it right behind this key where that is declared, not at the end.
  Limits after(std::string_view key) const;
};
Limits any_value();
Limits between(double low, double high);
Limits at_least(double low);
Limits one_of(std::vector<std::string> choices);
// The same in any case; a synonym counts before that, exactly as it is written.
Limits one_of_any_case(std::vector<std::string> choices,
                       std::map<std::string, std::string> synonyms = {});
Limits repeated();

// One declared option, for help, completion and args.yml.
struct Field {
  std::string section, key;
  // Declared again, where it may have another meaning and default: --rmsprop-epsilon.
  struct Again {
    std::string section, default_text, help;
  };
  std::vector<Again> again;
  std::string type;  // bool, int, number, text, numbers, list
  std::string default_text, help;
  std::vector<std::string> aliases;
  Limits limits;
  Setting value;  // resolved; its text parses back to exactly the value
};

// The field that `key`, a key or an alias with dashes or underscores, means; null when none does.
const Field* find_field(const std::vector<Field>& fields, std::string_view key);

// Every spelling that means one of the fields, for `nearest`.
std::vector<std::string> spellings(const std::vector<Field>& fields);

class Fields {
 public:
  // Reads from `settings`, whose keys may have dashes or underscores.
  explicit Fields(const Settings& settings);

  // Starts a group of options in --help.
  void section(std::string_view title);
  // The same, of options that mean something with one choice of another, `--optimizer sgd`.
  void section_with(const std::string& choice);

  // Declares one option and, when a setting for the key or an alias exists, reads it into `value`.
  // Types: bool, int, int64_t, uint64_t, float, double, std::string, std::vector<double>,
  // std::vector<std::string>. A text that is no such value or breaks the limits is a usage error
  // that names key, origin, value and what is allowed; so are two different values under a key and
  // its alias. A key may be declared again by another struct: both read it, `all` has it once.
  template <class T>
  void operator()(std::string_view key, T& value, std::string_view help, const Limits& limits = {},
                  std::vector<std::string> aliases = {});

  // The same of an enumeration with a table of words (base/text/words.h): one of them.
  template <HasWords E>
  void operator()(std::string_view key, E& value, std::string_view help, const Limits& limits = {},
                  std::vector<std::string> aliases = {}) {
    std::string text(word_of(value));
    std::vector<std::string> words;
    for (const Word<E>& word : words_of(value)) words.emplace_back(word.text);
    (*this)(key, text, help, choices_of(std::move(words), limits), std::move(aliases));
    value = *value_of<E>(text);
  }

  // Options that mean something in training alone are not declared from now on.
  void evaluation_only(bool on) { evaluation_only_ = on; }

  // The record of a declared option (`all`) holds this from now on instead of what was read: what a
  // file said instead of its name.
  void record(std::string_view key, const std::vector<std::string>& value);

  // Whether somebody set it (not the default); whether on the command line.
  bool given(std::string_view key) const;
  bool typed(std::string_view key) const;

  // A recipe does not know what is typed beside it. Of two ways to say one thing, the typed one
  // stands: settings of `others` that are not typed are dropped when `key` is. Before all of them
  // are declared.
  void displace(std::string_view key, std::initializer_list<std::string_view> others);

  // For an option that does nothing together with the others: whether it is to be refused. Not when
  // a recipe set it and one of `choosers`, which decide whether it means anything, was typed: then
  // it is as if nobody had set it.
  bool idle(std::string_view key, std::initializer_list<std::string_view> choosers);

  // An option means something only together with others: a usage error when it was set (`idle`) and
  // they are not so, which `with` names: "--momentum above 0". A flag that says the default, and a
  // recipe that does, are no error.
  void needs(std::string_view key, bool is_met, std::string_view with,
             std::initializer_list<std::string_view> choosers);

  // The key decides which further options are declared, or what their defaults are. When it is
  // typed, defaults that were recorded with another choice do not hold. Right after its
  // declaration.
  void chooses(std::string_view key);

  // Every setting must have been read by now: an unknown key is a usage error naming the nearest.
  // `known` may list more keys (all that a command has): one of them is not unknown, but has no
  // meaning together with the other options, and the error says so; unless it stands in a recipe
  // and what `chooses` was typed.
  void finish(const std::vector<Field>& known = {});

  // The keys of a recipe that count as never set, because of what was typed beside them.
  const std::vector<std::string>& dropped() const { return dropped_; }

  const std::vector<Field>& all() const { return fields_; }

 private:
  static Limits choices_of(std::vector<std::string> words, Limits limits);
  const Setting* find_setting(const Field& field) const;
  void add(Field field);

  Settings settings_;
  std::vector<Field> fields_;
  std::vector<std::string> choosers_, dropped_;
  bool has_chosen_ = false;  // one of choosers_ is typed
  bool evaluation_only_ = false;
  std::string section_;
};

}  // namespace convoy
