// What the verbs about runs share: reading their options, and a run directory, its listeners, and
// the trainer between them.
#pragma once

#include <set>

#include "app/command.h"
#include "app/options.h"
#include "train/run/run_config.h"
#include "train/run/run_dir.h"
#include "train/step/network.h"

namespace convoy {

// Applies --isa. Must come before anything is computed.
void apply_isa(const RunConfig& config);

// On standard error: a line for every rule of --algorithms that decides nothing in these plans. The
// trainer tells it by events instead.
void warn_of_idle_rules(const NetworkPlans& plans, const Choices& choices);

// What the processes of a run agree upon before it: the settings are those of rank 0, which alone
// reads the recipe; the instruction set is the lowest of all; processes of one host share it. What
// was typed for one rank and not for another is a usage error that names both, but for the keys of
// `own`, which each rank may have for itself.
void refuse_other_options(const Settings& typed, const std::set<std::string>& own = {});
Settings resolve_together(const CommandLine& line, const std::vector<Field>& known);
Settings settings_of_first(const Settings& mine);
ClassNames names_of_first(const ClassNames& mine);
struct HostShare {
  int processes = 1, on_our_cores = 1;  // of the run on this host, and those with the same cores
};
HostShare share_machines();

// A verb's own options and the run's, from the recipe and the command line. `describe` declares
// both. The fields hold what was read, for the record.
template <class Options>
Fields read_options(const CommandLine& line, void (*describe)(Fields& field), Options& options,
                    RunConfig& config) {
  const std::vector<Field> known = described(describe);
  Fields field(resolve_together(line, known));
  options.describe(field);
  config.describe(field);
  field.finish(known);
  return field;
}

// Trains in `dir` until the end, a signal, or trouble; gives the exit code. A new run that fails
// before its first event leaves no folder behind.
int run_training(const RunConfig& config, const RunDir& dir);

// env.json: machine, build and library versions.
void write_environment(const fs::path& path);

}  // namespace convoy
