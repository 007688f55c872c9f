// Reads line by line: in a flat map the first character of a line tells its kind.
#include "config/yaml.h"

#include <algorithm>
#include <utility>

#include "config/value.h"
#include "config/yaml_scalar.h"

namespace convoy {
namespace {

constexpr size_t most_keys = 4096;
constexpr std::string_view form = "try: lines of the form `key: value`";

// `---` or `...`, alone or with a comment.
bool is_mark(std::string_view line, std::string_view mark) {
  return line.starts_with(mark) && yaml_line_ends(line, mark.size());
}

// A line `- element` of a list.
bool is_item(std::string_view rest) {
  return rest.starts_with('-') && (rest.size() == 1 || is_yaml_blank(rest[1]));
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin, Fault fault)
      : rest_(text), origin_(origin), fault_(fault) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
    next();
  }

  std::vector<YamlEntry> read() {
    skip_empty();
    if (!done_ && is_mark(line_, "---")) next();
    for (skip_empty(); !done_; skip_empty()) {
      if (is_mark(line_, "---")) fail("a second YAML document; try: only one");
      if (is_mark(line_, "...")) return end_document();
      read_entry();
    }
    return std::move(entries_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem, int line = 0) const {
    raise(fault_, "{}:{}: {}", one_line(origin_), line ? line : number_, one_line(problem));
  }
  [[noreturn]] void fail_value(const YamlEntry& entry, std::string_view problem,
                               int line = 0) const {
    fail(fmt::format("{}: {}", entry.key.substr(0, 80), problem), line);
  }

  // Moves on to the next line.
  void next() {
    done_ = rest_.empty();
    if (done_) return;
    ++number_;
    const size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    const auto is_control = [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    };
    if (std::ranges::any_of(line_, is_control)) {
      fail("not valid YAML: a control character; try: an escape as \"\\x07\" in double quotes");
    }
  }
  void skip_empty() {
    while (!done_ && yaml_line_ends(line_, 0)) next();
  }
  size_t indent() const { return std::min(line_.find_first_not_of(' '), line_.size()); }

  std::vector<YamlEntry> end_document() {
    next();
    skip_empty();
    if (!done_) fail("a second YAML document; try: only one");
    return std::move(entries_);
  }

  void read_entry() {
    if (entries_.size() == most_keys) fail("more keys than options can have; try: fewer");
    YamlEntry entry{.line = number_};
    const size_t column = read_key(entry);
    const std::string_view value = line_.substr(column);
    if (yaml_line_ends(value, 0)) {
      next();
      read_below(entry);
    } else if (value[0] == '|') {
      read_block(entry, value);
    } else if (value[0] == '[') {
      read_brackets(entry, column);
    } else if (value[0] == '{') {
      fail_value(entry, "has keys of its own, but options are flat; try: `key: value` alone");
    } else if (value[0] == '>') {
      fail_value(entry, "folded text (>) is not read; try: quotes, or | for text in lines");
    } else {
      const YamlScalar scalar = read_scalar(entry, value, false);
      if (!yaml_line_ends(value, scalar.length)) fail("not valid YAML: text behind a quote");
      entry.text = scalar.text;
      next();
    }
    entries_.push_back(std::move(entry));
  }

  // Returns the position where the value begins.
  size_t read_key(YamlEntry& entry) {
    if (line_[0] == '\t') fail("not valid YAML: a tab at the beginning; try: spaces");
    if (line_[0] == ' ') {
      fail("not valid YAML: an indented line; try: keys at the beginning, values behind them");
    }
    if (line_[0] == '%') fail("not valid YAML here: a directive (%); try: without it");
    if (line_[0] == '?' || line_[0] == ':') {
      fail(fmt::format("a key that is not plain text; {}", form));
    }
    const bool is_quoted = line_[0] == '"' || line_[0] == '\'';
    size_t colon = 0;
    if (is_quoted) {
      const YamlScalar scalar = read_yaml_scalar(line_, false);
      if (!scalar.problem.empty()) fail(scalar.problem);
      entry.key = scalar.text;
      colon = scalar.length + yaml_blanks(line_.substr(scalar.length));
    } else {
      colon = find_colon();
      const std::string_view name = line_.substr(0, colon);
      entry.key = name.substr(0, name.find_last_not_of(" \t") + 1);
    }
    if (colon >= line_.size() || line_[colon] != ':' || is_item(line_)) {
      fail(fmt::format("not a map; {}", form));
    }
    constexpr std::string_view signs = ",[]{}&*!|>@`";
    if (entry.key.empty() || (!is_quoted && signs.find(line_[0]) != signs.npos)) {
      fail(fmt::format("a key that is not plain text; {}", form));
    }
    ++colon;
    return colon + yaml_blanks(line_.substr(colon));
  }
  // The position of the first colon that ends a key; the line's length if there is none.
  size_t find_colon() const {
    for (size_t at = 0; at < line_.size(); ++at) {
      const bool before_blank = at + 1 == line_.size() || is_yaml_blank(line_[at + 1]);
      if (line_[at] == ':' && before_blank) return at;
      if (line_[at] == '#' && at > 0 && is_yaml_blank(line_[at - 1])) break;
    }
    return line_.size();
  }

  YamlScalar read_scalar(const YamlEntry& entry, std::string_view text, bool in_list) const {
    YamlScalar scalar = read_yaml_scalar(text, in_list);
    if (!scalar.problem.empty()) {
      if (scalar.problem.starts_with("not valid")) fail(scalar.problem);
      fail_value(entry, scalar.problem);
    }
    if (scalar.is_null) no_value(entry, number_);
    return scalar;
  }
  [[noreturn]] void no_value(const YamlEntry& entry, int line) const {
    fail_value(entry, "has no value; for empty text write ''", line);
  }

  void add_element(YamlEntry& entry, const std::string& element, bool is_first) {
    if (element.empty() || element.find(',') != element.npos) {
      fail_value(entry, "an element of a list may not be empty or have a comma");
    }
    if (!is_first) entry.text += ',';
    entry.text += element;
  }

  // Reads the lines below a key without a value: the elements of a list.
  void read_below(YamlEntry& entry) {
    entry.is_list = true;
    skip_empty();
    if (done_ || (indent() == 0 && !is_item(line_)) || is_mark(line_, "---")) {
      no_value(entry, entry.line);
    }
    const size_t column = indent();
    bool is_first = true;
    while (!done_ && indent() == column && is_item(line_.substr(column))) {
      const std::string_view item = line_.substr(column + 1);
      const std::string_view value = item.substr(yaml_blanks(item));
      if (value.starts_with('[') || is_item(value)) {
        fail_value(entry, "a list inside a list; try: one flat list");
      }
      if (value.starts_with('{')) fail_value(entry, "has keys of its own, but options are flat");
      if (yaml_line_ends(value, 0)) no_value(entry, number_);
      const YamlScalar scalar = read_scalar(entry, value, false);
      if (!yaml_line_ends(value, scalar.length)) fail("not valid YAML: text behind a quote");
      add_element(entry, scalar.text, is_first);
      is_first = false;
      next();
      skip_empty();
    }
    if (is_first) refuse_below(entry);
  }
  // Refuses a line below a key that is not a list element.
  [[noreturn]] void refuse_below(const YamlEntry& entry) const {
    if (line_.find(": ") != line_.npos || line_.ends_with(':')) {
      fail_value(entry, "has keys of its own, but options are flat; try: `key: value` alone");
    }
    if (line_[indent()] == '\t') fail("not valid YAML: a tab at the beginning; try: spaces");
    fail_value(entry, "its value is on another line; try: all of it behind the key");
  }

  // Reads a text block: lines that are indented more than the key, with their line breaks.
  void read_block(YamlEntry& entry, std::string_view value) {
    const bool strips = value.starts_with("|-");
    if (!yaml_line_ends(value, strips ? 2 : 1)) {
      fail_value(entry, "only | and |- begin text in lines; try: one of them, or quotes");
    }
    size_t width = 0;
    for (next(); !done_; next()) {
      const bool is_empty = line_.find_first_not_of(' ') == line_.npos;
      if (!is_empty && width == 0) width = indent();
      if (!is_empty && (width == 0 || indent() < width)) break;
      entry.text += line_.substr(std::min(width, line_.size()));
      entry.text += '\n';
    }
    const size_t end = entry.text.find_last_not_of('\n') + 1;
    entry.text.resize(std::min(entry.text.size(), end == 0 || strips ? end : end + 1));
  }

  // Reads a list in brackets that opens in `column`; it may continue over several lines.
  void read_brackets(YamlEntry& entry, size_t column) {
    entry.is_list = true;
    bool is_first = true, wants_comma = false;
    for (size_t at = column + 1;;) {
      while (yaml_line_ends(line_, at)) {
        next();
        at = 0;
        if (done_) fail("not valid YAML: a list is not closed", entry.line);
      }
      at += yaml_blanks(line_.substr(at));
      const char sign = line_[at];
      if (sign == ']') {
        if (!yaml_line_ends(line_, at + 1)) fail("not valid YAML: text behind a list");
        return next();
      }
      if (wants_comma) {
        if (sign != ',') fail("not valid YAML: a list is not closed, or lacks a comma");
        wants_comma = false;
        ++at;
        continue;
      }
      if (sign == '[') fail_value(entry, "a list inside a list; try: one flat list");
      if (sign == '{') fail_value(entry, "has keys of its own, but options are flat");
      const YamlScalar scalar = read_scalar(entry, line_.substr(at), true);
      add_element(entry, scalar.text, std::exchange(is_first, false));
      at += scalar.length;
      wants_comma = true;
    }
  }

  std::string_view rest_, line_;
  int number_ = 0;
  bool done_ = false;
  const std::string& origin_;
  Fault fault_;
  std::vector<YamlEntry> entries_;
};

}  // namespace

std::vector<YamlEntry> read_yaml(std::string_view text, const std::string& origin, Fault fault) {
  if (text.size() > most_yaml_bytes || !is_plain_utf8(text)) {
    raise(fault,
          "{}: is not a recipe or record of options: these are YAML text in UTF-8, at most {} KiB",
          one_line(origin), most_yaml_bytes / 1024);
  }
  return Reader(text, origin, fault).read();
}

}  // namespace convoy
