// An average of the weights that is kept, evaluated and saved beside them: a moving average (EMA),
// or the plain mean of the weights at the ends of the last epochs (SWA). Both use the same memory,
// so a run has only one of them.
#pragma once

#include <cstdint>

#include "base/text/words.h"
#include "config/fields.h"
#include "data/loading/epoch_plan.h"

namespace convoy {

enum class EmaPhase { end, start };
constexpr auto words_of(EmaPhase) { return words<EmaPhase>("end", "start"); }
enum class EmaWarmup { none, copy, ramp };
constexpr auto words_of(EmaWarmup) { return words<EmaWarmup>("none", "copy", "ramp"); }

struct WeightAverage {
  bool model_ema = false;
  double ema_decay = 0;
  int ema_steps = 1;
  bool ema_adjust = false;
  EmaPhase ema_phase = EmaPhase::end;
  EmaWarmup ema_warmup = EmaWarmup::none;
  double swa_start_epoch = -1, swa_every_epochs = 1, swa_lr = 0;  // -1: no SWA

  // What it must know of the rest of the run.
  struct Site {
    double epochs;         // requested; 0: the length is given in steps
    double warmup_epochs;  // of the learning rate
    int64_t global_batch;
  };

  // Declares the options and refuses those without effect.
  void describe(Fields& field);
  // Refuses options that make no sense in this run.
  void check(const Site& site) const;

  bool swa() const { return swa_start_epoch >= 0; }
  bool on() const { return swa() || ema_decay > 0; }

  // Whether the average is updated after step number `steps`.
  bool is_due(int64_t steps, const EpochPlan& plan) const;
  // The factor of the old average; the weights get the rest. `averaged`: the number of updates
  // since the average was last reset to a copy of the weights.
  double decay(int64_t averaged, const Site& site) const;
  // Whether the update after step number `steps` resets the count: the next update is a copy.
  bool starts_over(int64_t steps, const EpochPlan& plan, const Site& site) const;
  // The learning rate of the update that follows `step` updates; `scheduled` is the schedule's
  // rate.
  double rate(int64_t step, const EpochPlan& plan, double scheduled) const;

 private:
  void describe_swa(Fields& field);
};

}  // namespace convoy
