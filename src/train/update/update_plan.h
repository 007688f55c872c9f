// The plans that change the state after a gradient plan has run: running statistics after each
// micro-batch, parameters and their average after each step. Everything that varies from step to
// step is an input.
#pragma once

#include "compile/plan.h"
#include "train/update/clipping.h"
#include "train/update/optimizer.h"

namespace convoy {

// Inputs `bn_momentum` and `stat_scale`: running += bn_momentum * (batch * stat_scale - running).
// Nothing changes if the input `skip_update` is not 0.
Plan statistics_plan(const StateLayout& layout);

// Inputs `learning_rate`, `grad_scale`, `step`, `skip_update`, and `rounding_key` if `kept` rounds.
// A gradient that is not finite also skips the update, in all processes. Output `updated`: 0 if
// skipped.
// `shares`: which parameters each process updates; by default this one updates all. Exchanges
// between processes are marked as collectives (ops/exchange.h).
Plan update_plan(const Optimizer& optimizer, const StateLayout& layout, const Clipping& clip = {},
                 const UpdateShares& shares = {}, const KeptWeights& kept = {});

// Input `ema_decay`: average = decay * average + (1 - decay) * current, parameters and statistics.
Plan average_plan(const StateLayout& layout);

}  // namespace convoy
