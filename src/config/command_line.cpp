#include "config/command_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/other_stacks.h"
#include "config/value.h"

namespace convoy {
namespace {

bool is_flag(const Field& field) { return field.type == "bool"; }

class Parser {
 public:
  Parser(const std::vector<std::string>& arguments, const std::vector<Field>& declared,
         bool words_end_options, const AdviseOption& advise)
      : arguments_(arguments),
        declared_(declared),
        words_end_options_(words_end_options),
        advise_(advise) {}

  CommandLine parse() {
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_++];
      const bool is_option = argument.size() > 1 && argument[0] == '-';
      if (argument == "--" || (words_end_options_ && !is_option)) {
        if (argument != "--") --next_;
        line_.words.insert(line_.words.end(), arguments_.begin() + static_cast<long>(next_),
                           arguments_.end());
        break;
      }
      if (argument.starts_with("--")) {
        long_option(argument);
      } else if (is_option) {
        short_option(argument);
      } else {
        line_.words.push_back(argument);
      }
    }
    return std::move(line_);
  }

 private:
  void long_option(const std::string& argument) {
    const size_t equals = argument.find('=');
    const bool has_value = equals != std::string::npos;
    const std::string name = dashed(argument.substr(2, has_value ? equals - 2 : equals));
    const std::string value = has_value ? argument.substr(equals + 1) : "";
    const std::string typed = "--" + name;
    if (const Field* field = find_field(declared_, name)) {
      option(*field, typed, has_value, value);
    } else if (name == "set") {
      assignment(has_value ? value : following(typed, "KEY=VALUE"));
    } else if (name.starts_with("no-")) {
      negation(name.substr(3), typed, has_value);
    } else {
      std::vector<std::string> candidates = spellings(declared_);
      candidates.insert(candidates.end(), {"help", "set"});
      unknown(name, "--", candidates);
    }
  }

  // `-j 4`, `-j4`, `-j=4`; `-np 4`, `-np=4`
  void short_option(const std::string& argument) {
    if (is_long_alias(dashed(argument.substr(1, argument.find('=') - 1)))) {
      return long_option("-" + argument);
    }
    const std::string letter = argument.substr(1, 1);
    const Field* field = find_field(declared_, letter);
    if (!field) {
      const std::string typed = argument.substr(0, argument.find('='));
      const std::string elsewhere = advice_for_other_stacks(dashed(typed.substr(1)), declared_);
      if (!elsewhere.empty()) raise(Fault::usage, "unknown option {}{}", typed, elsewhere);
      const std::string near = nearest(dashed(argument.substr(1)), spellings(declared_));
      raise(Fault::usage, "unknown option {}{}", one_line(argument),
            near.empty() || near.size() == 1 ? "; try: --help all, or -- before words"
                                             : "; nearest: --" + near);
    }
    std::string rest = argument.substr(2);
    if (is_flag(*field) && !rest.empty() && rest[0] != '=') {
      raise(Fault::usage, "option -{} takes no value, but {} was given; try: -{} alone", letter,
            one_line(argument), letter);
    }
    const bool has_value = !rest.empty();
    if (has_value && rest[0] == '=') rest.erase(0, 1);
    option(*field, "-" + letter, has_value, rest);
  }

  bool is_long_alias(const std::string& name) const {
    const Field* field = find_field(declared_, name);
    return name.size() > 1 && field && field->key != name;
  }

  void option(const Field& field, const std::string& typed, bool has_value, std::string value) {
    if (!has_value) {
      bool ignored = false;
      if (!is_flag(field)) {
        value = following(typed, field.type);
      } else if (next_ < arguments_.size() && parse_value(arguments_[next_], ignored).empty()) {
        value = arguments_[next_++];
      } else {
        value = "true";
      }
    }
    put(field, typed, value);
  }

  void negation(const std::string& name, const std::string& typed, bool has_value) {
    const Field* field = find_field(declared_, name);
    if (!field) {
      std::vector<Field> flags;
      std::ranges::copy_if(declared_, std::back_inserter(flags), is_flag);
      unknown(name, "--no-", spellings(flags));
    }
    if (!is_flag(*field)) {
      raise(Fault::usage, "option {}: {} is not a yes-or-no option; try: --{} with a value", typed,
            field->key, field->key);
    }
    if (has_value) {
      raise(Fault::usage, "option {} takes no value; try: --{}=true or {} alone", typed, field->key,
            typed);
    }
    put(*field, typed, "false", true);
  }

  void assignment(const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      raise(Fault::usage, "option --set needs KEY=VALUE, not \"{}\"; try: --set epochs=3",
            one_line(text));
    }
    const std::string key = dashed(text.substr(0, equals));
    const Field* field = find_field(declared_, key);
    if (!field) unknown(key, "--set ", spellings(declared_));
    put(*field, "--set " + key, text.substr(equals + 1));
  }

  // The argument after an option that needs one.
  std::string following(const std::string& typed, std::string_view type) {
    const bool is_last = next_ >= arguments_.size();
    if (is_last || looks_like_option(arguments_[next_])) {
      // The option may be a switch in another program: torchvision's --pretrained.
      const std::string elsewhere =
          advice_for_other_stacks(typed.substr(typed.find_first_not_of('-')), declared_);
      raise(Fault::usage, "option {} needs a value ({}), but {}{}", typed, type,
            is_last ? "nothing follows" : one_line(arguments_[next_]) + " follows",
            elsewhere.empty() ? fmt::format("; try: {}=VALUE", typed) : elsewhere);
    }
    return arguments_[next_++];
  }

  // `-0.5` and `-` are values.
  bool looks_like_option(const std::string& argument) const {
    if (argument.starts_with("--")) return true;
    return argument.size() > 1 && argument[0] == '-' &&
           (find_field(declared_, argument.substr(1, 1)) != nullptr ||
            is_long_alias(dashed(argument.substr(1))));
  }

  void put(const Field& field, const std::string& typed, std::string value,
           bool is_negation = false) {
    bool truth = false;  // `yes` and `true` are one value, not two
    if (is_flag(field) && parse_value(value, truth).empty()) value = format_value(truth);
    const auto [place, is_new] = line_.settings.emplace(field.key, Setting{value, "command line"});
    std::string& text = place->second.text;
    if (is_new) {
      typed_[field.key] = {typed, is_negation};
      return;
    }
    if (field.limits.repeats) {
      text += '\n' + value;
      return;
    }
    Typed& before = typed_[field.key];
    if (text == value) return;
    if (before.is_negation != is_negation) {
      raise(Fault::usage, "{} and {} contradict each other; try: only one of them", before.name,
            typed);
    }
    line_.overruled.push_back(fmt::format("{} {}", before.name, one_line(text)));
    text = value;
    before.name = typed;
  }

  [[noreturn]] void unknown(const std::string& name, std::string_view before,
                            const std::vector<std::string>& candidates) const {
    std::string known = advice_for_other_stacks(name, declared_);
    if (known.empty() && advise_) known = advise_(name);
    if (known.empty() && declared_.empty()) known = ": there are no options here; try: without it";
    if (!known.empty()) raise(Fault::usage, "unknown option {}{}{}", before, one_line(name), known);
    const std::string near = nearest(name, candidates);
    const std::string_view dashes = near.size() == 1 && before == "--" ? "-" : before;
    raise(Fault::usage, "unknown option {}{}{}", before, one_line(name),
          near.empty() ? "; try: --help all" : fmt::format("; nearest: {}{}", dashes, near));
  }

  const std::vector<std::string>& arguments_;
  const std::vector<Field>& declared_;
  const bool words_end_options_;
  const AdviseOption& advise_;
  size_t next_ = 0;
  struct Typed {
    std::string name;  // "--lr"
    bool is_negation = false;
  };
  std::map<std::string, Typed> typed_;  // by key, the last time
  CommandLine line_;
};

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments,
                               const std::vector<Field>& declared, bool words_end_options,
                               const AdviseOption& advise) {
  return Parser(arguments, declared, words_end_options, advise).parse();
}

std::optional<std::string> asked_help(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& argument = arguments[i];
    if (argument.starts_with("--help=")) return argument.substr(argument.find('=') + 1);
    if (argument != "--help" && argument != "-h") continue;
    std::vector<std::string> topic;
    for (size_t j = i + 1; j < arguments.size() && !arguments[j].starts_with("-"); ++j) {
      topic.push_back(arguments[j]);
    }
    return join(topic, " ");
  }
  return std::nullopt;
}

}  // namespace convoy
