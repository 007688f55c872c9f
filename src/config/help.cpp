#include "config/help.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/text/text.h"
#include "config/value.h"

namespace convoy {
namespace {

constexpr int widest_left = 30;

std::string placeholder(const Field& field) {
  if (field.type == "int") return " INT";
  if (field.type == "number") return " NUMBER";
  if (field.type == "numbers") return " NUMBER,..";
  if (field.type == "list") return " TEXT,..";
  return " TEXT";
}

std::string spelled(const std::string& name) { return (name.size() == 1 ? "-" : "--") + name; }

std::string left_of(const Field& field) {
  const bool is_flag = field.type == "bool";
  return (is_flag ? "--[no-]" : "--") + field.key + (is_flag ? "" : placeholder(field));
}

// The text up to the first mark that ends a clause.
std::string first_clause(const std::string& help) {
  size_t end = help.size();
  for (const char* mark : {"; ", ". ", ": "}) end = std::min(end, help.find(mark));
  return help.substr(0, end);
}

// The sections in order of declaration; a section may have been declared in several places.
std::vector<std::string> sections_of(const std::vector<Field>& fields) {
  std::vector<std::string> sections;
  const auto note = [&](const std::string& section) {
    if (std::ranges::find(sections, section) == sections.end()) sections.push_back(section);
  };
  for (const Field& field : fields) {
    note(field.section);
    for (const Field::Again& again : field.again) note(again.section);
  }
  return sections;
}

std::string shown_title(const std::string& section) {
  return section.empty() ? "Options" : section;
}

// The words that select a section: "optimizer" and "lars" for "With --optimizer lars", "convs" for
// "Of `bench convs` and ...", "learning" for "Learning rate".
std::vector<std::string> words_for(const std::string& section) {
  const std::string title = small_letters(shown_title(section));
  constexpr std::string_view of_choice = "with --";
  if (title.starts_with(of_choice)) return split(title.substr(of_choice.size()), ' ');
  const size_t quote = title.find('`');
  if (quote != std::string::npos) {
    const std::string inside = title.substr(quote + 1, title.find('`', quote + 1) - quote - 1);
    return {split(inside, ' ').back()};
  }
  return {split(title, ' ').front()};
}

HelpRow row(const Field& field) {
  std::vector<std::string> notes{field.default_text.empty() ? "default: none"
                                                            : "default " + field.default_text};
  if (!field.limits.text.empty()) notes.push_back(field.limits.text);
  if (!field.aliases.empty()) {
    std::vector<std::string> names;
    std::ranges::transform(field.aliases, std::back_inserter(names), spelled);
    notes.push_back("also " + join(names, ", "));
  }
  return {left_of(field), fmt::format("{} ({})", field.help, join(notes, "; "))};
}

std::string section_help(const std::vector<Field>& fields, const std::string& section, int width) {
  std::vector<HelpRow> rows;
  for (const Field& field : fields) {
    const auto again = std::ranges::find(field.again, section, &Field::Again::section);
    if (field.section == section) {
      rows.push_back(row(field));
    } else if (again != field.again.end()) {
      Field there = field;
      there.default_text = again->default_text;
      there.help = again->help;
      rows.push_back(row(there));
    }
  }
  return fmt::format("\n{}:\n{}", shown_title(section), help_rows(rows, width));
}

}  // namespace

std::string wrapped(std::string_view text, int indent, int width) {
  const auto room = static_cast<size_t>(std::max(20, width - indent));
  std::string result;
  size_t column = 0;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (column > 0 && column + 1 + word.size() > room) {
      result += '\n' + std::string(static_cast<size_t>(indent), ' ');
      column = 0;
    }
    if (column > 0) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string help_rows(const std::vector<HelpRow>& rows, int width) {
  int left = 0;
  for (const HelpRow& row : rows) left = std::max(left, static_cast<int>(row.left.size()));
  left = std::min(left, widest_left);
  const int indent = 2 + left + 2;
  std::string text;
  for (const HelpRow& row : rows) {
    text += "  " + row.left;
    if (static_cast<int>(row.left.size()) > left) {
      text += '\n' + std::string(static_cast<size_t>(indent), ' ');
    } else {
      text += std::string(static_cast<size_t>(left) - row.left.size() + 2, ' ');
    }
    text += wrapped(row.right, indent, width) + '\n';
  }
  return text;
}

std::string options_help(const std::vector<Field>& fields, int width) {
  std::string text;
  for (const std::string& section : sections_of(fields)) {
    text += section_help(fields, section, width);
  }
  return text;
}

std::string topic_help(const std::vector<Field>& fields, std::string_view topic, int width) {
  const std::string wanted = small_letters(topic);
  const std::vector<std::string> sections = sections_of(fields);
  const auto all_with = [&](auto is_meant) {
    std::string text;
    for (const std::string& section : sections) {
      if (is_meant(section)) text += section_help(fields, section, width);
    }
    return text;
  };
  std::string text = all_with([&](const std::string& section) {
    const std::vector<std::string> words = words_for(section);
    return std::ranges::find(words, wanted) != words.end();
  });
  const std::string key = dashed(wanted);
  if (!text.empty() || wanted.empty()) return text;
  if (!find_field(fields, key)) {
    text = all_with([&](const std::string& section) {
      return small_letters(shown_title(section)).find(wanted) != std::string::npos;
    });
  }
  if (!text.empty()) return text;
  std::vector<HelpRow> rows;
  for (const Field& field : fields) {
    const bool is_alias = std::ranges::find(field.aliases, key) != field.aliases.end();
    if (is_alias || field.key.find(key) != std::string::npos) rows.push_back(row(field));
  }
  return rows.empty() ? "" : "\nOptions:\n" + help_rows(rows, width);
}

std::vector<std::string> help_topics(const std::vector<Field>& fields, bool choices) {
  std::vector<std::string> topics;
  for (const std::string& section : sections_of(fields)) {
    for (const std::string& word : words_for(section)) {
      const bool is_new = std::ranges::find(topics, word) == topics.end();
      if (is_new) topics.push_back(word);
      if (!choices) break;
    }
  }
  return topics;
}

std::string brief_help(const std::vector<Field>& fields, const std::vector<std::string>& keys,
                       int width) {
  std::vector<HelpRow> rows;
  size_t left = 0;
  for (const std::string& key : keys) {
    const Field* field = find_field(fields, key);
    expect(field != nullptr, "the first screen of a verb's help names no option: " + key);
    rows.push_back({left_of(*field), first_clause(field->help)});
    left = std::max(left, rows.back().left.size());
  }
  const size_t room = static_cast<size_t>(width) - std::min<size_t>(left, widest_left) - 4;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string& value = find_field(fields, keys[i])->default_text;
    const std::string note = fmt::format(" (default {})", value);
    const bool fits = rows[i].right.size() + note.size() <= room;
    if (!value.empty() && fits) rows[i].right += note;
  }
  return help_rows(rows, width);
}

int help_width() {
  int columns = 80;
  winsize size{};
  const char* told = std::getenv("COLUMNS");
  int from_shell = 0;
  if (told && parse_value(told, from_shell).empty()) {
    columns = from_shell;
  } else if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    columns = size.ws_col;
  }
  return std::clamp(columns, 40, 100);
}

}  // namespace convoy
