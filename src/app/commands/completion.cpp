// `convoy completion SHELL`: prints the script that completes verbs, options and values.

#include "config/completion.h"

#include "app/command.h"
#include "app/options.h"
#include "base/show.h"
#include "base/text/text.h"

namespace convoy {
namespace {

int run(const CommandLine& line) {
  need_words(line, {"SHELL (bash, zsh or fish)"});
  std::vector<CompletionVerb> verbs;
  for (const CommandDef& command : command_catalog()) {
    CompletionVerb verb{
        std::string(command.name), std::string(command.summary), described(command.describe), {}};
    if (!command.words.empty()) verb.words = split(command.words, ' ');
    verbs.push_back(std::move(verb));
  }
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
