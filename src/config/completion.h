// Writes the scripts with which a shell completes verbs, options and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"

namespace convoy {

// A verb as the scripts describe it. After --help they offer `all` and the sections of the help.
struct CompletionVerb {
  std::string name, summary;
  std::vector<Field> fields;
  std::vector<std::string> words;  // allowed words beside options; empty: files
};

// `shell` is bash, zsh or fish; another one is a usage error.
std::string completion_script(std::string_view shell, std::string_view program,
                              const std::vector<CompletionVerb>& verbs);

}  // namespace convoy
