#include "app/verb_help.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"
#include "config/help.h"
#include "config/value.h"

namespace convoy {
namespace {

std::string head(const CommandDef& command) {
  return fmt::format("Usage: convoy {}\n\n{}\n", command.usage, command.summary);
}

std::string common_rows(bool has_options, bool has_sections, int width) {
  std::vector<HelpRow> rows;
  if (has_options)
    rows.push_back({"--set KEY=VALUE", "set any option by its key; may be repeated"});
  rows.push_back({"-h, --help", "this text"});
  if (has_sections) {
    rows.back() = {"-h, --help [SECTION]",
                   "a first screen; all: all of this; or a section by name"};
  }
  return "\nCommon:\n" + help_rows(rows, width);
}

std::string whole_help(const CommandDef& command, const std::vector<Field>& fields,
                       bool has_sections, int width) {
  std::string text = head(command);
  if (!command.details.empty()) text += fmt::format("\n{}\n", command.details);
  return text + options_help(fields, width) + common_rows(!fields.empty(), has_sections, width);
}

// The lines of `details` that show a command.
std::string examples(const CommandDef& command, size_t most) {
  std::string text;
  size_t count = 0;
  for (const std::string& line : split(command.details, '\n')) {
    if (line.starts_with("  convoy ") && count++ < most) text += line + "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

std::vector<std::string> first_options(const CommandDef& command,
                                       const std::vector<Field>& fields) {
  if (!command.basics.empty()) return split(command.basics, ' ');
  std::vector<std::string> keys;
  for (const Field& field : fields) {
    if (field.section == fields.front().section) keys.push_back(field.key);
  }
  return keys;
}

std::string first_screen(const CommandDef& command, const std::vector<Field>& fields, int width) {
  constexpr size_t most_examples = 5;
  std::string text = head(command) + examples(command, most_examples);
  text += "\nUsed most:\n" + brief_help(fields, first_options(command, fields), width);
  const std::string topics = join(help_topics(fields, false), ", ");
  return text +
         fmt::format(
             "\nconvoy {0} --help all explains all {1} options; --help SECTION one of\n  {2}\n",
             command.name, fields.size(), wrapped(topics, 2, width));
}

size_t lines_in(const std::string& text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

std::string verb_help(const CommandDef& command, std::string_view topic) {
  const int width = help_width();
  const std::vector<Field> fields = described(command.describe);
  constexpr int usual_width = 80;
  const bool is_long = lines_in(whole_help(command, fields, false, usual_width)) > screen_lines;
  if (topic == "all" || (topic.empty() && !is_long)) {
    return whole_help(command, fields, is_long, width);
  }
  if (topic.empty()) return first_screen(command, fields, width);
  const std::string part = topic_help(fields, topic, width);
  if (part.empty()) {
    raise(Fault::usage, "the help of {} has no section or option {}; try: convoy {} --help {}",
          command.name, one_line(topic), command.name,
          fields.empty() ? "alone" : join(help_topics(fields, false), "|") + "|all");
  }
  return fmt::format("Usage: convoy {}\n{}", command.usage, part);
}

}  // namespace convoy
