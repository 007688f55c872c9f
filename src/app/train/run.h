// Shared by the verbs that train: reading options, and running the trainer with a run directory and
// its listeners.
#pragma once

#include <set>

#include "app/command.h"
#include "app/options.h"
#include "train/run/run_config.h"
#include "train/run/run_dir.h"
#include "train/step/network.h"

namespace convoy {

// Applies --isa and --saturate-on-overflow. Call it before any computation.
void apply_isa(const RunConfig& config);

// Prints on standard error a line for every rule of --algorithms without effect in these plans.
// (The trainer reports these as events.)
void warn_of_idle_rules(const NetworkPlans& plans, const Choices& choices);

// Agreements between the processes of a run: rank 0's settings are used, and only it reads the
// recipe; the lowest instruction set of all is used; processes of one host share it. An option that
// was typed for one rank and not for another is a usage error that names both, except the keys in
// `own`, which may differ per rank.
void refuse_other_options(const Settings& typed, const std::set<std::string>& own = {});
Settings resolve_together(const CommandLine& line, const std::vector<Field>& known);
Settings settings_of_first(const Settings& mine);
ClassNames names_of_first(const ClassNames& mine);
struct HostShare {
  int processes = 1, on_our_cores = 1;  // ranks of the run on this host; those on the same cores
};
HostShare share_machines();

// Declares the options of a verb, then those of the run.
template <class Options>
void describe_with_run(Fields& field) {
  Options().describe(field);
  RunConfig::describe_all(field);
}
// Reads both from recipe and command line. The returned fields hold the values, for the record.
template <class Options>
Fields read_options(const CommandLine& line, Options& options, RunConfig& config) {
  const std::vector<Field> known = described(describe_with_run<Options>);
  Fields field(resolve_together(line, known));
  options.describe(field);
  config.describe(field);
  field.finish(known);
  return field;
}

// Trains in `dir` until the end, a signal or an error; returns the exit code. A new run that fails
// before its first event leaves no folder behind.
int run_training(const RunConfig& config, const RunDir& dir);

// Writes env.json: versions of machine, build and libraries.
void write_environment(const fs::path& path);

}  // namespace convoy
