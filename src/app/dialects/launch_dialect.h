// The processes of a dialect's command, as `convoy launch` places and starts them.
#pragma once

#include <string>
#include <vector>

#include "dialects/dialect_plan.h"

namespace convoy {

// The declared options of `convoy launch`.
std::vector<Field> launch_fields();

// Sets the plan's processes as its launch options place them. Without such options nothing changes.
void settle_processes(DialectPlan& plan);

// poprun's table of hosts, instances and replicas.
std::string launch_topology(const DialectPlan& plan);
// mpirun's command line; empty: one process needs none.
std::string launch_command(const DialectPlan& plan);

// Runs `words` (the dialect and its words, as typed) in the processes; returns the exit code.
int launch_dialect(const DialectPlan& plan, const std::vector<std::string>& words);

}  // namespace convoy
