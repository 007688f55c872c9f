// Explains a command of another program: what its options are here, and the plan that follows,
// computed by the code that plans the run, without its data.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "dialects/dialect_plan.h"

namespace convoy {

// The numbers of a training run.
struct DialectNumbers {
  int64_t global_batch = 0, steps_per_epoch = 0, total_steps = 0;
  int64_t micro_batch = 0, accumulation = 1, replicas = 1;
  double epochs = 0, peak_lr = 0;
  std::map<int64_t, double> lr_at;  // by step
  std::string model, optimizer, precision;
};

// `plan` must be of the verb train or plan. Contradictory options are usage errors.
DialectNumbers numbers_of(const DialectPlan& plan);

// The command line of Convoy for this plan, as one would type it.
std::string command_of(const DialectPlan& plan);

// What `--explain --json` prints; `migration.json` has the same keys.
nlohmann::ordered_json explained_json(const DialectPlan& plan);
// What `--explain` prints.
std::string explained_text(const DialectPlan& plan);

}  // namespace convoy
