// `convoy completion SHELL`: prints the script that completes verbs, options and values.

#include "config/completion.h"

#include "app/command.h"
#include "app/options.h"
#include "base/show.h"
#include "base/text/text.h"
#include "dialects/dialect.h"
#include "dialects/value_kind.h"

namespace convoy {
namespace {

// The options of a dialect's programs, and the names of these.
CompletionVerb completion_of(const Dialect& dialect) {
  CompletionVerb verb{std::string(dialect.name), std::string(dialect.summary), {}, {}};
  for (const DialectProgram& program : dialect.programs) {
    if (dialect.programs.size() > 1) verb.words.emplace_back(program.name);
    for (const std::span<const DialectRow> rows : program.rows) {
      for (const DialectRow& row : rows) {
        const std::vector<std::string> names = spellings(row);
        if (names[0].size() == 1 || find_field(verb.fields, names[0])) continue;
        Field field{.section = "Options", .key = dashed(names[0]), .again = {}};
        field.type = takes_nothing(row.values) ? "bool" : "text";
        field.help = std::string(row.meaning.substr(row.meaning.starts_with('!') ? 1 : 0));
        if (row.values.find('|') != row.values.npos) {
          field.limits.choices = split(row.values, '|');
        }
        verb.fields.push_back(std::move(field));
      }
    }
  }
  return verb;
}

int run(const CommandLine& line) {
  need_words(line, {"SHELL (bash, zsh or fish)"});
  std::vector<CompletionVerb> verbs;
  for (const CommandDef& command : command_catalog()) {
    CompletionVerb verb{
        std::string(command.name), std::string(command.summary), described(command.describe), {}};
    if (!command.words.empty()) verb.words = split(command.words, ' ');
    verbs.push_back(std::move(verb));
  }
  for (const Dialect& dialect : dialect_catalog()) verbs.push_back(completion_of(dialect));
  show_text(completion_script(line.words[0], "convoy", verbs));
  return 0;
}

}  // namespace

CommandDef completion_command() {
  return {
      .name = "completion",
      .summary = "print a script that lets the shell complete verbs, options and values",
      .usage = "completion bash|zsh|fish",
      .details =
          "For this shell:       source <(convoy completion bash)\n"
          "For every new shell:  convoy completion bash > "
          "~/.local/share/bash-completion/completions/convoy\n"
          "                      convoy completion fish > ~/.config/fish/completions/convoy.fish\n"
          "                      convoy completion zsh > a folder of $fpath, as _convoy",
      .words = "bash zsh fish",
      .describe = [](Fields&) {},
      .run = run,
  };
}

}  // namespace convoy
