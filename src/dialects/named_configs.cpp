#include "dialects/named_configs.h"

#include <algorithm>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"

namespace convoy {
namespace {

constexpr size_t most_entries = 100000;  // merges of merges grow fast

std::string trimmed(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r");
  if (start == text.npos) return "";
  return std::string(text.substr(start, text.find_last_not_of(" \t\r") - start + 1));
}

bool is_empty(std::string_view line) {
  const std::string rest = trimmed(line);
  return rest.empty() || rest[0] == '#';
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& origin) : origin_(origin) {
    if (text.size() > most_yaml_bytes) fail(1, "is larger than 1 MiB");
    lines_ = split(text, '\n');
  }

  std::vector<NamedConfig> read() {
    for (size_t at = 0; at < lines_.size();) {
      const std::string& line = lines_[at];
      if (is_empty(line) || line.starts_with("---") || line.starts_with("...")) {
        ++at;
        continue;
      }
      at = read_config(at);
    }
    return std::move(configs_);
  }

 private:
  [[noreturn]] void fail(size_t line, std::string_view problem) const {
    raise(Fault::usage, "{}:{}: {}", one_line(origin_), line, one_line(problem));
  }

  // `name: &anchor`, then the indented lines.
  size_t read_config(size_t at) {
    const std::string& head = lines_[at];
    const size_t colon = head.find(':');
    if (head[0] == ' ' || head[0] == '\t' || colon == head.npos) {
      fail(at + 1, "is no name of a configuration; try: a line `name:` and indented options");
    }
    NamedConfig config{.name = trimmed(head.substr(0, colon)), .entries = {}};
    std::string rest = trimmed(head.substr(colon + 1));
    rest = trimmed(rest.substr(0, rest.find(" #")));
    std::string anchor;
    if (rest.starts_with('&')) {
      anchor = rest.substr(1);
    } else if (!rest.empty() && rest[0] != '#') {
      fail(at + 1, "a configuration is a map; try: its options on indented lines");
    }
    const auto same = [&](const NamedConfig& other) { return other.name == config.name; };
    if (std::ranges::any_of(configs_, same)) fail(at + 1, config.name + " is there twice");
    size_t end = at + 1;
    while (end < lines_.size() &&
           (is_empty(lines_[end]) || lines_[end][0] == ' ' || lines_[end][0] == '\t'))
      ++end;
    read_options(at + 1, end, config.entries);
    if (!anchor.empty()) anchors_[anchor] = config.entries;
    configs_.push_back(std::move(config));
    return end;
  }

  // `<<: *a` or `<<: [*a, *b]`.
  void merge(size_t at, const std::string& value, std::vector<YamlEntry>& entries) {
    std::string names;
    for (const char c : value) names += c == '[' || c == ']' || c == ',' ? ' ' : c;
    // Of several, the first one counts.
    std::vector<std::string> all = split_at_blanks(names);
    std::ranges::reverse(all);
    for (const std::string& name : all) {
      const auto found = name.starts_with('*') ? anchors_.find(name.substr(1)) : anchors_.end();
      if (found == anchors_.end()) fail(at + 1, "there is no anchor " + name + " above");
      entries.insert(entries.end(), found->second.begin(), found->second.end());
      if (entries.size() > most_entries) fail(at + 1, "has too many options");
    }
  }

  // The options of lines [first, last) as a flat map at their own line numbers.
  void read_options(size_t first, size_t last, std::vector<YamlEntry>& entries) {
    size_t indent = std::string::npos;
    std::string flat(first, '\n');
    for (size_t at = first; at < last; ++at) {
      const std::string& line = lines_[at];
      if (is_empty(line)) {
        flat += '\n';
        continue;
      }
      const size_t start = line.find_first_not_of(' ');
      if (line[start] == '\t') fail(at + 1, "is indented by a tab; try: blanks");
      if (indent == std::string::npos) indent = start;
      if (start < indent) fail(at + 1, "is indented less than the options above");
      const std::string text = line.substr(indent);
      if (text.starts_with("<<:")) {
        merge(at, trimmed(text.substr(3)), entries);
        flat += '\n';
      } else {
        flat += aliased(at, text) + '\n';
      }
    }
    const std::vector<YamlEntry> own = read_yaml(flat, origin_, Fault::usage);
    entries.insert(entries.end(), own.begin(), own.end());
  }

  // Anchors and aliases of single values: `key: &name value`, `key: *name`.
  std::string aliased(size_t at, const std::string& line) {
    const size_t colon = line.find(": ");
    if (colon == line.npos) return line;
    const std::string value = trimmed(line.substr(colon + 2));
    const std::string head = line.substr(0, colon + 2);
    if (value.starts_with('&')) {
      const size_t blank = value.find(' ');
      if (blank == value.npos) fail(at + 1, "an anchor without a value on its line");
      values_[value.substr(1, blank - 1)] = trimmed(value.substr(blank));
      return head + trimmed(value.substr(blank));
    }
    if (!value.starts_with('*')) return line;
    const auto found = values_.find(value.substr(1));
    if (found == values_.end()) fail(at + 1, "there is no anchor " + value + " above");
    return head + found->second;
  }

  const std::string& origin_;
  std::vector<std::string> lines_;
  std::vector<NamedConfig> configs_;
  std::map<std::string, std::vector<YamlEntry>> anchors_;
  std::map<std::string, std::string> values_;
};

}  // namespace

std::vector<NamedConfig> read_named_configs(std::string_view text, const std::string& origin) {
  return Reader(text, origin).read();
}

}  // namespace convoy
