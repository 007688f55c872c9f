#include "dialects/arguments.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/fields.h"
#include "dialects/value_kind.h"

namespace convoy {
namespace {

std::string without_blanks(std::string_view word) {
  const size_t start = word.find_first_not_of(" \t\r\n");
  if (start == word.npos) return "";
  // Blanks may begin a value ("--mpi-local-args=' -x A'"), but not an option.
  const bool is_option = word[start] == '-';
  return std::string(is_option ? word.substr(start) : word);
}

// "-3" and "-1e-4" are values.
bool is_number_word(std::string_view word) {
  return word.size() > 1 && word[0] == '-' &&
         (std::isdigit(static_cast<unsigned char>(word[1])) || word[1] == '.');
}

bool is_option_word(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !is_number_word(word);
}

class Parser {
 public:
  Parser(const Dialect& dialect, const DialectProgram& program,
         const std::vector<std::string>& words)
      : dialect_(dialect), program_(program) {
    for (const std::string& word : words) {
      const std::string plain = without_blanks(word);
      if (!plain.empty()) words_.push_back(plain);
    }
  }

  DialectArguments parse() {
    for (at_ = 0; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "--") {
        found_.words.insert(found_.words.end(), words_.begin() + static_cast<ptrdiff_t>(at_) + 1,
                            words_.end());
        break;
      }
      if (is_option_word(word)) {
        read_option(word);
      } else if (!program_.wraps.empty() && !continues_list(word)) {
        take_wrapped();
        break;
      } else if (program_.wraps.empty()) {
        found_.words.push_back(word);
      }
    }
    return std::move(found_);
  }

 private:
  bool is_absl() const { return program_.manners == Manners::absl; }

  [[noreturn]] void fail_unknown(const std::string& word) const {
    std::vector<std::string> names{"set", "explain", "json", "help"}, plain;
    for (const std::span<const DialectRow> rows : program_.rows) {
      for (const DialectRow& row : rows) {
        for (const std::string& name : spellings(row)) names.push_back(name);
      }
    }
    for (const std::string& name : names) plain.push_back(dashed(name));
    const std::string near = nearest(dashed(word.substr(word.find_first_not_of('-'))), plain);
    if (near.empty()) {
      raise(Fault::usage, "convoy {} ({}): unknown option {}; try: convoy {} {} --help",
            dialect_.name, program_.name, one_line(word), dialect_.name, program_.name);
    }
    const auto index = static_cast<size_t>(std::ranges::find(plain, near) - plain.begin());
    raise(Fault::usage, "convoy {} ({}): unknown option {}; nearest: {}{}", dialect_.name,
          program_.name, one_line(word), names[index].size() == 1 ? "-" : "--", names[index]);
  }

  // The row of an option's name; with argparse also of its unambiguous beginning.
  const DialectRow* row_of(const std::string& name, bool is_long) const {
    if (const DialectRow* row = find_row(program_, name)) return row;
    if (is_absl() || !is_long || name.size() < 2) return nullptr;
    const std::string start = dashed(name);
    const DialectRow* found = nullptr;
    std::vector<std::string> all;
    for (const std::span<const DialectRow> rows : program_.rows) {
      for (const DialectRow& row : rows) {
        const std::vector<std::string> names = spellings(row);
        const auto begins = std::ranges::find_if(
            names, [&](const std::string& each) { return dashed(each).starts_with(start); });
        if (begins == names.end()) continue;
        found = &row;
        all.push_back("--" + *begins);
      }
    }
    if (all.size() > 1) {
      raise(Fault::usage, "convoy {} ({}): ambiguous option --{}; it begins {}", dialect_.name,
            program_.name, one_line(name), join(all, ", "));
    }
    return found;
  }

  void read_option(const std::string& word) {
    const bool is_long = word.starts_with("--") || is_absl();
    const std::string body = word.substr(word.starts_with("--") ? 2 : 1);
    const size_t equals = body.find('=');
    const std::string name = body.substr(0, equals);
    std::optional<std::string> value;
    if (equals != body.npos) value = body.substr(equals + 1);
    if (read_own(name, value, word.starts_with("--"))) return;
    if (const DialectRow* row = row_of(name, is_long || name.size() > 1)) {
      return read_value(*row, word.substr(0, word.find('=')), value);
    }
    if (is_absl() && name.starts_with("no") && !value) {
      const DialectRow* row = find_row(program_, name.substr(2));
      if (row && row->values == "bool") return keep(*row, word, "false");
    }
    if (!is_absl() && !word.starts_with("--") && body.size() > 1) {  // -b128
      const DialectRow* row = find_row(program_, body.substr(0, 1));
      if (row && !takes_nothing(row->values)) {
        return read_value(*row, word.substr(0, 2), body.substr(1));
      }
    }
    fail_unknown(word.substr(0, word.find('=')));
  }

  // Options that every dialect has.
  bool read_own(const std::string& name, const std::optional<std::string>& value, bool is_long) {
    if (name == "explain" && is_long) return found_.explain = true;
    if (name == "json" && is_long) return found_.json = true;
    if (name == "help" || name == "h" || name == "helpshort") return found_.help = true;
    if (name == "helpfull") return found_.help = found_.help_full = true;
    if (name != "set" || !is_long) return false;
    const std::string text = value ? *value : next_word("--set");
    if (text.find('=') == text.npos) {
      raise(Fault::usage, "--set {} has no =; try: --set key=value", one_line(text));
    }
    found_.set.push_back(text);
    return true;
  }

  std::string next_word(const std::string& option) {
    if (at_ + 1 >= words_.size() || is_option_word(words_[at_ + 1])) {
      raise(Fault::usage, "convoy {} ({}): {} has no value", dialect_.name, program_.name, option);
    }
    return words_[++at_];
  }

  void read_value(const DialectRow& row, const std::string& typed,
                  const std::optional<std::string>& value) {
    if (value) {
      if (row.values == "flag") {
        raise(Fault::usage, "convoy {} ({}): {} takes no value; try: without ={}", dialect_.name,
              program_.name, typed, one_line(*value));
      }
      return keep(row, typed, *value);
    }
    if (takes_nothing(row.values)) return keep(row, typed, "true");
    std::string text = next_word(typed);
    if (takes_words(row.values) && !is_absl()) {
      while (at_ + 1 < words_.size() && !is_option_word(words_[at_ + 1])) {
        text += " " + words_[++at_];
      }
    }
    keep(row, typed, text);
  }

  void keep(const DialectRow& row, const std::string& typed, const std::string& text) {
    const std::string name = spellings(row).front();
    const std::string value = checked_value(
        row, text, fmt::format("convoy {} ({}): {}", dialect_.name, program_.name, typed));
    const auto before = found_.values.find(name);
    if (before != found_.values.end() && before->second.text != value) {
      found_.overruled.push_back(fmt::format("--{} {}", name, before->second.text));
    }
    found_.values[name] = {value, "command line"};
    last_ = name;
  }

  // A list of hosts that a blank after a comma has cut: `--host a,b, c,d`.
  bool continues_list(const std::string& word) {
    if (last_ != "host" || word.find(',') == word.npos) return false;
    std::string& hosts = found_.values[last_].text;
    if (!hosts.ends_with(',')) hosts += ',';
    hosts += word;
    return true;
  }

  // The words of the program that this one starts.
  void take_wrapped() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "--explain") {
        found_.explain = true;
      } else if (word == "--json") {
        found_.json = true;
      } else {
        found_.words.push_back(word);
      }
    }
  }

  const Dialect& dialect_;
  const DialectProgram& program_;
  std::vector<std::string> words_;
  size_t at_ = 0;
  std::string last_;
  DialectArguments found_;
};

}  // namespace

std::string checked_value(const DialectRow& row, std::string_view text, std::string_view where) {
  const std::string problem = value_problem(row.values, text);
  if (!problem.empty()) {
    raise(Fault::usage, "{} \"{}\" {}; try: {}", where, one_line(text), problem,
          told_kind(row.values));
  }
  return canonical_value(row.values, text);
}

DialectArguments parse_dialect(const Dialect& dialect, const DialectProgram& program,
                               const std::vector<std::string>& words) {
  DialectArguments found = Parser(dialect, program, words).parse();
  if (!program.wraps.empty() || found.help) return found;
  if (found.words.size() > program.words.size()) {
    raise(Fault::usage, "convoy {} ({}): unexpected word \"{}\"; try: without it, or --help",
          dialect.name, program.name, one_line(found.words[program.words.size()]));
  }
  if (found.words.size() < program.words.size()) {
    raise(Fault::usage, "convoy {} ({}): missing {}; try: --help", dialect.name, program.name,
          program.words[found.words.size()]);
  }
  return found;
}

}  // namespace convoy
