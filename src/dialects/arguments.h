// Parses the words of another program's command line by its table and manners.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dialects/dialect.h"

namespace convoy {

struct DialectValue {
  std::string text;    // canonical (value_kind.h)
  std::string origin;  // "command line", "configs.yml: NAME", "launcher"
};

struct DialectArguments {
  std::map<std::string, DialectValue> values;  // by the row's first name
  std::vector<std::string> words;              // and, with `wraps`, the other program's words
  std::vector<std::string> set;                // "key=value" of --set
  std::vector<std::string> overruled;          // "--lr 0.1", replaced by a later one
  bool explain = false, json = false, help = false, help_full = false;
};

// Blank words, and blanks before an option (as `\ ` at the end of a copied line gives them), are
// left out. Beside the table's options there are --explain, --json (with --explain), --set
// KEY=VALUE and --help. An unknown option, a missing or wrong value are usage errors that name the
// nearest option of the program, or what is allowed.
DialectArguments parse_dialect(const Dialect& dialect, const DialectProgram& program,
                               const std::vector<std::string>& words);

// The value of `row` checked and in canonical form, for values that come from elsewhere too.
// `where`: "--batch_size", "configs.yml: mk2_resnet8_test: batch_size".
std::string checked_value(const DialectRow& row, std::string_view text, std::string_view where);

}  // namespace convoy
