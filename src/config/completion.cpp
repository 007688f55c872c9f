#include "config/completion.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/help.h"

namespace convoy {
namespace {

using Verbs = std::vector<CompletionVerb>;

// Offers only values that no shell interprets.
std::vector<std::string> plain(const std::vector<std::string>& words) {
  const auto is_plain = [](const std::string& word) {
    return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             std::string_view("_-./+@%").find(static_cast<char>(c)) != std::string_view::npos;
    });
  };
  std::vector<std::string> kept;
  std::ranges::copy_if(words, std::back_inserter(kept), is_plain);
  return kept;
}

std::string words_of(const std::vector<std::string>& words) { return join(plain(words), " "); }

// The text inside single quotes; characters in `escape` get a backslash.
std::string single_quoted(std::string_view text, std::string_view quote,
                          std::string_view escape = "") {
  std::string result = "'";
  for (const char c : one_line(text)) {
    if (c == '\'') {
      result += quote;
    } else {
      if (escape.find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result + "'";
}

std::string in_sh(std::string_view text, std::string_view escape = "") {
  return single_quoted(text, "'\\''", escape);
}

std::vector<std::string> verb_names(const Verbs& verbs) {
  std::vector<std::string> names;
  for (const CompletionVerb& verb : verbs) names.push_back(verb.name);
  return names;
}

std::string topics_of(const CompletionVerb& verb) {
  std::vector<std::string> topics{"all"};
  for (std::string& topic : help_topics(verb.fields, true)) topics.push_back(std::move(topic));
  return words_of(topics);
}

std::string bash_verb(const CompletionVerb& verb) {
  std::vector<std::string> options{"--help"};
  std::string values = fmt::format("        -h|--help) values='{}' ;;\n", topics_of(verb));
  for (const Field& field : verb.fields) {
    options.push_back("--" + field.key);
    if (field.type == "bool") options.push_back("--no-" + field.key);
    std::vector<std::string> names{"--" + field.key};
    for (const std::string& alias : field.aliases)
      names.push_back((alias.size() == 1 ? "-" : "--") + alias);
    const std::string choices = words_of(field.limits.choices);
    if (choices.empty()) continue;
    values += fmt::format("        {}) values='{}' ;;\n", join(names, "|"), choices);
  }
  return fmt::format(
      "    {})\n"
      "      options='{}'\n"
      "      words='{}'\n"
      "      case $option in\n"
      "{}      esac\n"
      "      ;;\n",
      verb.name, words_of(options), words_of(verb.words), values);
}

std::string bash_script(std::string_view program, const Verbs& verbs) {
  std::string cases;
  for (const CompletionVerb& verb : verbs) cases += bash_verb(verb);
  return fmt::format(R"(# bash completion for {0}: source this file, or put it into
# ~/.local/share/bash-completion/completions/{0}
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD-1]}}
  local options= words= values=
  # bash cuts --key=value into three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $option == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  option=${{option//_/-}}
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=( $(compgen -W '{1} --help --version' -- "$current") )
    return
  fi
  case ${{COMP_WORDS[1]}} in
{2}  esac
  if [[ -n $values ]]; then
    COMPREPLY=( $(compgen -W "$values" -- "$current") )
  elif [[ $current == -* ]]; then
    COMPREPLY=( $(compgen -W "$options" -- "$current") )
  elif [[ -n $words && $option != -* ]]; then
    COMPREPLY=( $(compgen -W "$words" -- "$current") )
  fi
}}
complete -o default -F _{0} {0}
)",
                     program, words_of(verb_names(verbs)), cases);
}

std::string zsh_option(const Field& field) {
  // _arguments interprets brackets and colons; in the help text they are escaped.
  const auto spec = [&](const std::string& option, std::string_view action) {
    return fmt::format("        {}\n", in_sh(option) + "'['" + in_sh(field.help, "[]:\\") + "']'" +
                                           std::string(action));
  };
  if (field.type == "bool") return spec("--" + field.key, "") + spec("--no-" + field.key, "");
  const std::string choices = words_of(field.limits.choices);
  const std::string values =
      choices.empty() ? (field.type == "text" ? "_files" : " ") : "(" + choices + ")";
  return spec("--" + field.key + "=", in_sh(":" + field.type + ":" + values));
}

std::string zsh_script(std::string_view program, const Verbs& verbs) {
  std::string names, cases;
  for (const CompletionVerb& verb : verbs) {
    names += fmt::format("      {}\n", in_sh(verb.name) + "':'" + in_sh(verb.summary, ":\\"));
    std::string options;
    for (const Field& field : verb.fields) options += zsh_option(field);
    const std::string words = words_of(verb.words);
    options += fmt::format("        '*:word:{}'\n", words.empty() ? "_files" : "(" + words + ")");
    cases += fmt::format(
        "    {})\n"
        "      options=(\n"
        "        '(- *)'{{-h,--help}}'[explain the options]::section:({})'\n"
        "{}      ) ;;\n",
        verb.name, topics_of(verb), options);
  }
  return fmt::format(R"(#compdef {0}
# zsh completion for {0}: put it as _{0} into a folder of $fpath, or source it after compinit.
_{0}() {{
  local -a verbs options
  if (( CURRENT == 2 )); then
    verbs=(
{1}    )
    _describe verb verbs
    return
  fi
  case $words[2] in
{2}    *) return 1 ;;
  esac
  shift words
  (( CURRENT-- ))
  _arguments -s $options
}}
if [[ $funcstack[1] == _{0} ]]; then
  _{0} "$@"
else
  compdef _{0} {0}
fi
)",
                     program, names, cases);
}

std::string fish_script(std::string_view program, const Verbs& verbs) {
  const auto in_fish = [](std::string_view text) { return single_quoted(text, "\\'", "\\"); };
  std::string text = fmt::format(
      "# fish completion for {0}: put it into ~/.config/fish/completions/{0}.fish\n"
      "complete -c {0} -n __fish_use_subcommand -f\n",
      program);
  for (const CompletionVerb& verb : verbs) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", program, verb.name,
                        in_fish(verb.summary));
    const std::string start =
        fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", program, verb.name);
    if (!verb.words.empty()) text += fmt::format("{} -f -a '{}'\n", start, words_of(verb.words));
    text += fmt::format("{} -s h -l help -x -a '{}' -d 'explain the options'\n", start,
                        topics_of(verb));
    for (const Field& field : verb.fields) {
      std::string value = field.type == "text" ? " -r -F" : " -x";
      const std::string choices = words_of(field.limits.choices);
      if (!choices.empty()) value = fmt::format(" -x -a '{}'", choices);
      if (field.type == "bool") {
        text += fmt::format("{} -l no-{} -d {}\n", start, field.key, in_fish("not: " + field.help));
        value.clear();
      }
      text += fmt::format("{} -l {}{} -d {}\n", start, field.key, value, in_fish(field.help));
    }
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell, std::string_view program,
                              const Verbs& verbs) {
  if (shell == "bash") return bash_script(program, verbs);
  if (shell == "zsh") return zsh_script(program, verbs);
  if (shell == "fish") return fish_script(program, verbs);
  raise(Fault::usage, "no completion for the shell {}; try: one of bash, zsh, fish",
        one_line(shell));
}

}  // namespace convoy
