// What an option of a dialect takes, in the words of its row:
//   flag           nothing (argparse's store_true)
//   bool           true, false and the like, or nothing
//   bool=          true, false and the like, never nothing
//   truthy         argparse's type=bool: every text but the empty one is true
//   text  path  json   any text; json must be JSON
//   int  number    with a limit, as int>=1, number>0, int:1..100
//   ints  numbers  words   lists, separated by commas or blanks; ints*2 has exactly two elements
//   a|b|c          one of these, in small or capital letters
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// Whether the option works without a value.
bool takes_nothing(std::string_view kind);
// Whether argparse gives it all words up to the next option.
bool takes_words(std::string_view kind);
// "int, at least 1": for help and messages.
std::string told_kind(std::string_view kind);

// The problem of a value ("is not a whole number"); empty if it is one of this kind.
std::string value_problem(std::string_view kind, std::string_view text);
// The value as the tables spell it: true or false, the choice, elements separated by commas.
std::string canonical_value(std::string_view kind, std::string_view text);

}  // namespace convoy
