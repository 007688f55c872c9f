// The command line of another training program, as tables: its options, environment variables and
// manners, and what each of them is in Convoy. A dialect is one file in stacks/ that defines
// `Dialect <stem>_dialect()`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

class DialectPlan;

// One option of the other program.
struct DialectRow {
  // The name, then its other spellings, separated by spaces: "batch_size bs".
  std::string_view names;
  // What it takes; see value_kind.h. "flag" takes nothing.
  std::string_view values;
  // As the other program has it; empty: none.
  std::string_view fallback;
  // P: portable, has its meaning here; S: its meaning is emulated; H: of hardware, only recorded.
  char kind;
  // What it is in Convoy:
  //   "--key {}": this option with the value, always, also with the fallback (unless that is none)
  //   "--key text": the same, but only if the value is true; several such pairs may follow each
  //   other, and nothing else
  //   "!why": not available; refused unless the value is the fallback
  //   other text: what happens, or (H) what is done instead; the dialect's `plan` may do more
  std::string_view meaning;
};

// An environment variable that the other program reads.
struct DialectVariable {
  std::string_view name;
  std::string_view values;
  char kind;
  std::string_view meaning;
};

enum class Manners {
  absl,      // one dash or two, --nox, booleans with or without =value, --helpfull
  argparse,  // -b 4, -b4, -b=4; beginnings of long names that are unambiguous
};

// A program of the other stack: for most a training script.
struct DialectProgram {
  std::string_view name;  // "demo_resnet_keras"; its file may have .py or .sh behind it
  std::string_view summary;
  Manners manners = Manners::argparse;
  std::vector<std::span<const DialectRow>> rows;
  std::span<const DialectVariable> variables = {};
  std::string_view example = "";
  // Words after the options: their names, for help; a program takes exactly these words.
  std::vector<std::string_view> words = {};
  // The first word that is no option is another program, which the dialect `wraps` names, and all
  // that follows belongs to it.
  std::string_view wraps = "";
  // Sets what does not follow from single options. Called after all rows were applied.
  void (*plan)(DialectPlan&) = nullptr;
};

struct Dialect {
  std::string_view name;  // the verb
  std::string_view summary;
  std::vector<DialectProgram> programs;  // the first one runs if none is named
};

const std::vector<Dialect>& dialect_catalog();  // generated from the folder stacks

// The dialect of a verb; null: the verb is none.
const Dialect* find_dialect(std::string_view verb);
// By its name with or without folder and ending; null: there is none.
const DialectProgram* find_program(const Dialect& dialect, std::string_view word);

// The option's name and its other spellings.
std::vector<std::string> spellings(const DialectRow& row);
// Without dashes, `-` and `_` being equal; null: there is none.
const DialectRow* find_row(const DialectProgram& program, std::string_view name);

}  // namespace convoy
