// What a command of another stack is in Convoy: the verb to run with its options, the launch around
// it, and for every option of the command what became of it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "dialects/arguments.h"
#include "dialects/dialect.h"
#include "dialects/processes.h"

namespace convoy {

// One line of the explanation.
struct DialectFate {
  std::string name;  // "batch_size", or a variable "PT_HPU_LAZY_MODE"
  std::string value;
  std::string origin;  // "command line", "environment", "launcher", "configs.yml: NAME"
  char kind = 'P';
  std::string what;
  bool is_variable = false;
};

class DialectPlan {
 public:
  DialectPlan(const Dialect& dialect, const DialectProgram& program, DialectArguments arguments,
              DialectEnvironment environment, DialectProcesses processes);

  // Applies the rows of the table and the program's `plan`.
  void make();
  // The last word: --set key=value, for Convoy's options (`train`, `launch`: their declared fields)
  // or the other program's.
  void apply_sets(const std::vector<Field>& train, const std::vector<Field>& launch);

  const Dialect& dialect;
  const DialectProgram& program;

  // --- for the dialects ---
  // The values of the other program's options, typed or its defaults.
  std::string text(std::string_view name) const;
  bool on(std::string_view name) const;
  int64_t count(std::string_view name) const;
  double number(std::string_view name) const;
  std::vector<std::string> list(std::string_view name) const;
  bool has(std::string_view name) const;    // the value is not empty
  bool given(std::string_view name) const;  // not the program's default
  // Gives an option that was not given a value: what a launcher fills in, a configuration sets.
  void fill(std::string_view name, std::string_view value, std::string_view origin);
  std::string variable(const char* name) const;  // empty: not set
  bool variable_on(const char* name) const;

  // Convoy's options.
  void set(std::string_view key, std::string_view value);
  void set(std::string_view key, double value);
  void set_typed(std::string_view key, std::string_view value);  // chooses, as a typed option does
  void drop(std::string_view key);
  void launch(std::string_view key, std::string_view value);
  // Generated data in place of files.
  void use_generated(int64_t samples);
  // A folder of the other program in which a run lives: --output and --name.
  void use_folder(const std::string& folder);

  // Applies all rows again, after `fill`.
  void apply_rows();

  // What became of an option, instead of the row's text.
  void explain(std::string_view name, std::string what);
  void note(std::string text) { notes.push_back(std::move(text)); }
  // Several workers without the option that turns them into one run.
  void need_parallel(bool is_met, std::string_view ways) const;
  [[noreturn]] void refuse(std::string_view name, std::string_view why) const;

  const DialectProcesses& processes() const { return processes_; }
  // The workers of the command: of the launcher around it, or of its own options.
  void set_processes(const DialectProcesses& processes) { processes_ = processes; }
  const std::vector<std::string>& words() const { return arguments_.words; }

  // --- the result ---
  std::string verb = "train";
  std::vector<std::string> verb_words;
  Settings options;                    // of the verb
  Settings launch_options;             // of `convoy launch`; without any: no mpirun
  std::vector<DialectFate> fates;      // in the order of the table; only what is not a default
  std::vector<std::string> notes;      // what a user should know, one line each
  std::vector<std::string> forwarded;  // set variables that all processes need
  std::string model_dir;               // the folder of the run, if the command names one
  bool clean = false;                  // it is emptied first
  bool continues = false;              // a run in it goes on
  int inner_replicas = 0;              // of the wrapped program, by the launcher's options
  int max_cpus = 0;                    // above 0: the run keeps to this number of cores
  std::string hcl_path, hcl_json;      // an HCL file to write, and its text; empty: none

  std::vector<std::string> recorded_only() const;

 private:
  const DialectRow& row(std::string_view name) const;
  const DialectValue* value_of(const DialectRow& row) const;
  void apply(const DialectRow& row);
  void apply_variables();
  void emit(std::string_view meaning, const std::string& value);

  DialectArguments arguments_;
  DialectEnvironment environment_;
  DialectProcesses processes_;
  std::map<std::string, std::string> explained_;
};

}  // namespace convoy
