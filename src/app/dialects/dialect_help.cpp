#include "app/dialects/dialect_help.h"

#include <fmt/core.h>

#include "base/text/text.h"
#include "config/help.h"
#include "dialects/value_kind.h"

namespace convoy {
namespace {

std::string names_of(const DialectRow& row, Manners manners) {
  std::vector<std::string> names;
  for (const std::string& name : spellings(row)) {
    const bool is_short = name.size() == 1 || (manners == Manners::absl && !names.empty());
    names.push_back((is_short ? "-" : "--") + name);
  }
  return join(names, ", ");
}

std::string about(const DialectRow& row) {
  std::string text(row.meaning);
  if (text.starts_with('!')) text = "not available: " + text.substr(1);
  for (size_t at = text.find(" {}"); at != text.npos; at = text.find(" {}")) text.erase(at, 3);
  text += fmt::format(" ({}", takes_nothing(row.values) ? "off or on" : told_kind(row.values));
  if (!row.fallback.empty() && row.values != "flag")
    text += fmt::format("; default {}", row.fallback);
  return text + ")";
}

}  // namespace

std::string dialect_help(const Dialect& dialect, const DialectProgram& program, bool full) {
  const int width = help_width();
  std::string text = fmt::format(
      "Usage: convoy {} [{}] [options]{}\n\n{}: {}\n", dialect.name, program.name,
      program.wraps.empty() ? "" : " PROGRAM [its options]", program.name, program.summary);
  if (!program.example.empty()) text += fmt::format("\n  {}\n", program.example);
  if (dialect.programs.size() > 1) {
    std::vector<HelpRow> rows;
    for (const DialectProgram& each : dialect.programs) {
      rows.push_back({std::string(each.name), std::string(each.summary)});
    }
    text += "\nPrograms:\n" + help_rows(rows, width);
  }
  std::vector<HelpRow> options, hardware, variables;
  for (const std::span<const DialectRow> rows : program.rows) {
    for (const DialectRow& row : rows) {
      (row.kind == 'H' ? hardware : options)
          .push_back({names_of(row, program.manners), about(row)});
    }
  }
  text += "\nOptions, and what they are in Convoy:\n" + help_rows(options, width);
  if (full) {
    if (!hardware.empty())
      text += "\nOf other hardware, only recorded:\n" + help_rows(hardware, width);
    for (const DialectVariable& each : program.variables) {
      variables.push_back({std::string(each.name), std::string(each.meaning)});
    }
    if (!variables.empty()) text += "\nEnvironment variables:\n" + help_rows(variables, width);
  }
  return text + "\nCommon:\n" +
         help_rows({{"--explain [--json]",
                     "say what the command is in Convoy, and its plan; run nothing"},
                    {"--set KEY=VALUE", "set any option of train or launch; may be repeated"},
                    {"--help, --helpfull",
                     full ? "this text" : "this text; with all options and variables"}},
                   width);
}

}  // namespace convoy
