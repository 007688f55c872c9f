// An option is one line in the struct it configures: key, default, help, limits. `Fields` is the
// visitor those lines talk to: it reads values, explains them for --help, or records them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// A value as somebody wrote it, and who: "default", "configs/x.yml", "command line".
struct Setting {
  std::string text;
  std::string origin;
};

// Key -> setting, keys with dashes (`batch-size`). Later calls to `put` win.
using Settings = std::map<std::string, Setting>;

// What a value may be; the text goes into help and into the error.
struct Limits {
  double low = -1e300, high = 1e300;
  std::vector<std::string> choices;
  std::string text;
};
Limits between(double low, double high);
Limits at_least(double low);
Limits one_of(std::vector<std::string> choices);

// One declared option, for help, completion and args.yml.
struct Field {
  std::string section, key, type, default_text, help;
  std::vector<std::string> aliases;
  Limits limits;
  Setting value;  // resolved
};

class Fields {
 public:
  // Reads from `settings`, which it copies.
  explicit Fields(Settings settings);

  // Starts a group of options in --help.
  void section(std::string_view title);

  // Declares one option and, when a setting for the key or an alias exists, reads it into `value`.
  // Types: bool, int, int64_t, uint64_t, float, double, std::string, std::vector<double>,
  // std::vector<std::string>. A text that is no such value or breaks the limits is a usage error
  // that names key, origin, value and what is allowed.
  template <class T>
  void operator()(std::string_view key, T& value, std::string_view help, const Limits& limits = {},
                  std::vector<std::string> aliases = {});

  // Whether somebody set it (not the default).
  bool given(std::string_view key) const;

  // Every setting must have been read by now: an unknown key is a usage error naming the nearest.
  void finish() const;

  const std::vector<Field>& all() const { return fields_; }

 private:
  Settings settings_;
  std::vector<Field> fields_;
  std::string section_;
};

}  // namespace convoy
