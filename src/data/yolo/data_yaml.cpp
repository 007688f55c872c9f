// The outline of a file follows from the beginnings of its lines: a key begins in the first column,
// and what belongs to it is indented, in brackets, or a list of `- ` lines. So each key gets the
// text that belongs to it, and only the text of known keys is read further.
#include "data/yolo/data_yaml.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/show.h"
#include "base/text/text.h"
#include "config/value.h"
#include "config/yaml_scalar.h"

namespace convoy {
namespace {

struct Line {
  int number;
  std::string_view text;  // without comment and blanks at its end
};

// A value: scalars, each with a key if it is of a map.
struct Item {
  std::string key, text;
};

size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool is_item(std::string_view line) {
  return line.starts_with('-') && (line.size() == 1 || is_yaml_blank(line[1]));
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin) : origin_(origin) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    for (int number = 1; !text.empty(); ++number) {
      const size_t end = text.find('\n');
      add_line(number, text.substr(0, end));
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
  }

  // Calls `take` with each key of the outermost map, its line, and the lines of its value.
  template <class Take>
  void for_each_key(const Take& take) {
    for (size_t at = 0; at < lines_.size();) {
      const auto [number, line] = lines_[at];
      if (line == "---" && at == 0) {
        ++at;
        continue;
      }
      if (line == "...") break;
      const size_t colon = colon_of(line);
      if (indent_of(line) > 0 || is_item(line) || colon == line.npos) {
        fail(number, "is no `key: value`");
      }
      std::vector<Line> value{{number, line.substr(std::min(colon + 1, line.size()))}};
      const YamlScalar key = scalar(line.substr(0, colon), number);
      for (++at; at < lines_.size() && belongs(lines_[at].text, value); ++at) {
        value.push_back(lines_[at]);
      }
      take(key.text, number, value);
    }
  }

  // The scalars of a value: one, those of a list, or those of a map.
  std::vector<Item> items(const std::vector<Line>& value) const {
    std::string_view first = value.front().text;
    first.remove_prefix(yaml_blanks(first));
    if (first.starts_with('[') || first.starts_with('{')) return bracketed(value);
    std::vector<Item> found;
    if (!first.empty()) {
      if (value.size() > 1) fail(value[1].number, "a value on several lines; try: quotes on one");
      const YamlScalar one = scalar(first, value.front().number);
      if (!one.is_null) found.push_back({"", one.text});
      return found;
    }
    for (size_t i = 1; i < value.size(); ++i) found.push_back(item_of(value[i]));
    return found;
  }

  [[noreturn]] void fail(int line, std::string_view what) const {
    raise(Fault::data, "{}:{}: {}", one_line(origin_), line, one_line(what));
  }

 private:
  void add_line(int number, std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    size_t end = 0;  // where a comment begins, which quotes may hide
    char quote = 0;
    for (; end < line.size(); ++end) {
      const char c = line[end];
      if (quote) {
        if (c == '\\' && quote == '"') ++end;
        if (c == quote) quote = 0;
      } else if (const bool after_sign =
                     end == 0 || std::string_view(" \t[{,:").find(line[end - 1]) != line.npos;
                 (c == '"' || c == '\'') && after_sign) {
        quote = c;
      } else if (c == '#' && (end == 0 || is_yaml_blank(line[end - 1]))) {
        break;
      }
    }
    line = line.substr(0, std::min(end, line.size()));
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    if (!line.empty()) lines_.push_back({number, line});
  }

  // The colon behind a key; npos: none.
  static size_t colon_of(std::string_view line) {
    size_t from = 0;
    if (line.starts_with('"') || line.starts_with('\'')) {
      const YamlScalar key = read_yaml_scalar(line, false);
      if (!key.problem.empty()) return line.npos;
      from = key.length + yaml_blanks(line.substr(key.length));
      return from < line.size() && line[from] == ':' ? from : line.npos;
    }
    for (; from < line.size(); ++from) {
      const bool ends = from + 1 == line.size() || is_yaml_blank(line[from + 1]);
      if (line[from] == ':' && ends) return from;
    }
    return line.npos;
  }

  // Whether a line belongs to the value that has the lines before it.
  static bool belongs(std::string_view line, std::vector<Line>& value) {
    if (indent_of(line) > 0 || line.starts_with('\t')) return true;
    std::string_view first = value.front().text;
    first.remove_prefix(yaml_blanks(first));
    if (first.empty()) return is_item(line);
    const bool has_brackets = first.starts_with('[') || first.starts_with('{');
    return has_brackets && !value.back().text.ends_with(first[0] == '[' ? ']' : '}');
  }

  YamlScalar scalar(std::string_view text, int line) const {
    YamlScalar one = read_yaml_scalar(text, false);
    if (!one.problem.empty()) fail(line, one.problem);
    if (!yaml_line_ends(text, one.length)) fail(line, "not valid YAML: text behind a quote");
    return one;
  }

  // A line `- element` or `key: element` below its key.
  Item item_of(const Line& line) const {
    std::string_view text = line.text.substr(indent_of(line.text));
    Item item;
    if (is_item(text)) {
      text.remove_prefix(1);
    } else {
      const size_t colon = colon_of(text);
      if (colon == text.npos) fail(line.number, "neither `- element` nor `key: value`");
      item.key = scalar(text.substr(0, colon), line.number).text;
      text.remove_prefix(colon + 1);
    }
    text.remove_prefix(yaml_blanks(text));
    if (text.empty()) fail(line.number, "an element without a value");
    if (text[0] == '[' || text[0] == '{') fail(line.number, "a list or map inside another one");
    item.text = scalar(text, line.number).text;
    return item;
  }

  // [a, b] or {0: a, 1: b}, on any number of lines, which are joined by spaces.
  std::vector<Item> bracketed(const std::vector<Line>& value) const {
    std::string joined;
    for (const Line& line : value) {
      joined += line.text.substr(yaml_blanks(line.text));
      joined += ' ';
    }
    std::string_view rest(joined);
    rest.remove_suffix(1);
    const int number = value.front().number;
    const bool is_map = rest[0] == '{';
    const char close = is_map ? '}' : ']';
    rest.remove_prefix(1);
    std::vector<Item> found;
    for (bool wants_comma = false;; wants_comma = !wants_comma) {
      rest.remove_prefix(yaml_blanks(rest));
      if (rest.empty()) fail(number, "not valid YAML: brackets are not closed");
      if (rest[0] == close) break;
      if (wants_comma) {
        if (rest[0] != ',') fail(number, "not valid YAML: a comma is missing in brackets");
        rest.remove_prefix(1);
        continue;
      }
      if (rest[0] == '[' || rest[0] == '{') fail(number, "a list or map inside another one");
      Item item;
      if (is_map) {
        const size_t colon = colon_of(rest);
        if (colon == rest.npos) fail(number, "not valid YAML: a map without `key: value`");
        item.key = scalar(rest.substr(0, colon), number).text;
        rest.remove_prefix(colon + 1);
        rest.remove_prefix(yaml_blanks(rest));
      }
      const YamlScalar one = read_yaml_scalar(rest, true);
      if (!one.problem.empty()) fail(number, one.problem);
      if (one.text.empty()) fail(number, "an empty element in brackets");
      item.text = one.text;
      found.push_back(std::move(item));
      rest.remove_prefix(one.length);
    }
    if (rest.size() != 1) fail(number, "not valid YAML: text behind brackets");
    return found;
  }

  const std::string& origin_;
  std::vector<Line> lines_;
};

std::vector<std::string> texts_of(std::vector<Item> items) {
  std::vector<std::string> texts;
  for (Item& item : items) texts.push_back(std::move(item.text));
  return texts;
}

bool parse_number(std::string_view text, size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// Puts the names of a map in the order of its keys.
std::vector<std::string> in_order(const Reader& reader, int line, std::vector<Item> items) {
  const bool is_map = !items.empty() && !items.front().key.empty();
  std::vector<std::string> names(items.size());
  std::vector<bool> is_set(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    size_t number = i;
    if (items[i].key.empty() == is_map || (is_map && !parse_number(items[i].key, number))) {
      reader.fail(line, "names: a class has no number");
    }
    if (number >= items.size() || is_set[number]) {
      reader.fail(line, fmt::format("names: the numbers of {} classes are not 0 to {}",
                                    items.size(), items.size() - 1));
    }
    is_set[number] = true;
    names[number] = std::move(items[i].text);
  }
  return names;
}

// Why the names of classes cannot be told apart; empty: they can.
std::string trouble_with(const std::vector<std::string>& names) {
  if (names.size() > most_yolo_classes) {
    return fmt::format("{} classes, more than {}", names.size(), most_yolo_classes);
  }
  std::set<std::string_view> known;
  for (const std::string& name : names) {
    if (name.empty()) return "a class with an empty name";
    if (!known.insert(name).second) return fmt::format("two classes have the name {:?}", name);
  }
  return "";
}

}  // namespace

DataYaml read_data_yaml(std::string_view text, const std::string& origin) {
  if (text.size() > most_data_yaml_bytes || !is_plain_utf8(text)) {
    raise(Fault::data, "{}: is no data.yaml: these are YAML text in UTF-8, at most {} KiB",
          one_line(origin), most_data_yaml_bytes / 1024);
  }
  Reader reader(text, origin);
  DataYaml data;
  int names_line = 0, count_line = 0;
  size_t count = 0;
  std::set<std::string> known;
  reader.for_each_key([&](const std::string& key, int line, const std::vector<Line>& value) {
    if (!known.insert(key).second)
      reader.fail(line, fmt::format("the key {:?} is there twice", key));
    if (key == "train") data.train = texts_of(reader.items(value));
    if (key == "val" || key == "valid") data.val = texts_of(reader.items(value));
    if (key == "test") data.test = texts_of(reader.items(value));
    if (key == "kpt_shape") data.key_points = true;
    if (key == "names") {
      names_line = line;
      data.names = in_order(reader, line, reader.items(value));
    }
    if (key != "path" && key != "nc") return;
    const std::vector<std::string> one = texts_of(reader.items(value));
    if (one.size() > 1) reader.fail(line, fmt::format("{} is a list", key));
    if (key == "path") {
      data.path = one.empty() ? "" : one[0];
      return;
    }
    count_line = line;
    if (one.empty() || !parse_number(one[0], count) || count > most_yolo_classes) {
      reader.fail(line, "nc is no number of classes");
    }
  });
  if (names_line == 0) {
    for (size_t i = 0; i < count; ++i) data.names.push_back(fmt::format("class_{}", i));
  }
  if (data.names.empty()) raise(Fault::data, "{}: has no names of classes", one_line(origin));
  const std::string trouble = trouble_with(data.names);
  if (!trouble.empty()) reader.fail(names_line, trouble);
  if (count_line && names_line && count != data.names.size()) {
    reader.fail(count_line,
                fmt::format("nc is {}, but there are {} names", count, data.names.size()));
  }
  return data;
}

std::vector<std::string> read_name_lines(std::string_view text, const std::string& origin) {
  if (text.size() > most_data_yaml_bytes || !is_plain_utf8(text)) {
    raise(Fault::data, "{}: is no list of classes in UTF-8", one_line(origin));
  }
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<std::string> names;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = split_at_blanks(line);
    if (!words.empty()) names.push_back(join(words, " "));
  }
  if (names.empty()) raise(Fault::data, "{}: lists no classes", one_line(origin));
  const std::string trouble = trouble_with(names);
  if (!trouble.empty()) raise(Fault::data, "{}: {}", one_line(origin), one_line(trouble));
  return names;
}

}  // namespace convoy
