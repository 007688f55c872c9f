// Writes args.yml: the options of a run, for people to read and for `resume` to load.

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/show.h"
#include "base/text/text.h"
#include "config/config_file.h"

namespace convoy {
namespace {

// Words that YAML readers do not read as text.
bool is_yaml_word(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::array<std::string_view, 9> words{"y",   "n",    "yes",   "no",  "on",
                                                  "off", "true", "false", "null"};
  return std::ranges::find(words, lower) != words.end();
}

// Stricter than YAML's own rule: texts that are certainly plain scalars; all others are quoted.
bool may_stand_bare(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_inner = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("_-./+").find(c) != std::string_view::npos;
  };
  if (text.empty() || is_yaml_word(text)) return false;
  return (is_letter(text[0]) || text[0] == '/') && std::ranges::all_of(text, is_inner);
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string yaml_text(const std::string& text) {
  return may_stand_bare(text) ? text : quoted(text);
}

std::string yaml_value(const Field& field) {
  const std::string& text = field.value.text;
  if (field.type == "text") return yaml_text(text);
  if (field.type != "list" && field.type != "numbers") return text;
  std::vector<std::string> parts;
  if (!text.empty()) parts = split(text, ',');
  for (std::string& part : parts) part = field.type == "list" ? yaml_text(part) : part;
  return "[" + join(parts, ", ") + "]";
}

}  // namespace

std::string write_args(const std::vector<Field>& fields) {
  std::vector<std::string> given;
  for (const Field& field : fields) {
    if (!field.value.is_default()) given.push_back(field.key);
  }
  std::string text = fmt::format(
      "# The options of this run, each with where it came from. All hold in `convoy resume` and "
      "in\n"
      "# `convoy train --config` of this file, those not listed here as defaults of this run.\n"
      "{}: [{}]\n",
      record_key, join(given, ", "));
  const std::string* section = nullptr;
  for (const Field& field : fields) {
    if (!section || *section != field.section) {
      text += '\n';
      if (!field.section.empty()) text += fmt::format("# {}\n", one_line(field.section));
      section = &field.section;
    }
    text +=
        fmt::format("{}: {}  # {}\n", field.key, yaml_value(field), one_line(field.value.origin));
  }
  return text;
}

std::string amend_args(const std::string& args, const std::vector<Field>& changed) {
  const auto list_of = [](const std::string& line) {  // "key: [a, b]"
    std::vector<std::string> keys;
    const size_t begin = line.find('[') + 1, end = line.rfind(']');
    if (begin == 0 || end == line.npos || end <= begin) return keys;
    for (std::string& key : split(line.substr(begin, end - begin), ',')) {
      keys.push_back(key.starts_with(' ') ? key.substr(1) : key);
    }
    return keys;
  };
  const auto with_changed = [&](std::vector<std::string> keys) {
    for (const Field& field : changed) {
      if (std::ranges::find(keys, field.key) == keys.end()) keys.push_back(field.key);
    }
    return join(keys, ", ");
  };
  const auto begins = [](const std::string& line, std::string_view key) {
    return line.starts_with(std::string(key) + ": ");
  };
  std::vector<std::string> lines = split(args, '\n'), before;
  std::erase_if(lines, [&](const std::string& line) {
    if (!begins(line, changed_key)) return false;
    before = list_of(line);
    return true;
  });
  for (std::string& line : lines) {
    if (begins(line, record_key)) {
      line = fmt::format("{}: [{}]\n{}: [{}]", record_key, with_changed(list_of(line)), changed_key,
                         with_changed(before));
      continue;
    }
    const auto field =
        std::ranges::find_if(changed, [&](const Field& f) { return begins(line, f.key); });
    if (field != changed.end()) {
      line = fmt::format("{}: {}  # {}", field->key, yaml_value(*field), resume_origin);
    }
  }
  return join(lines, "\n");
}

}  // namespace convoy
