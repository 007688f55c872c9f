#include "config/help.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
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

HelpRow row(const Field& field) {
  const bool is_flag = field.type == "bool";
  std::vector<std::string> notes{field.default_text.empty() ? "default: none"
                                                            : "default " + field.default_text};
  if (!field.limits.text.empty()) notes.push_back(field.limits.text);
  if (!field.aliases.empty()) {
    std::vector<std::string> names;
    std::ranges::transform(field.aliases, std::back_inserter(names), spelled);
    notes.push_back("also " + join(names, ", "));
  }
  return {(is_flag ? "--[no-]" : "--") + field.key + (is_flag ? "" : placeholder(field)),
          fmt::format("{} ({})", field.help, join(notes, "; "))};
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
  // A section's options may have been declared in several places: they belong together here.
  std::vector<std::string> sections;
  const auto note = [&](const std::string& section) {
    if (std::ranges::find(sections, section) == sections.end()) sections.push_back(section);
  };
  for (const Field& field : fields) {
    note(field.section);
    for (const Field::Again& again : field.again) note(again.section);
  }
  std::string text;
  for (const std::string& section : sections) {
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
    text += fmt::format("\n{}:\n{}", section.empty() ? "Options" : section, help_rows(rows, width));
  }
  return text;
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
