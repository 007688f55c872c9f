// An average of the weights that is kept beside them, evaluated and saved: a moving one (EMA), or
// the plain mean of the weights at the ends of the last epochs (SWA). Both live in the same place,
// so a run has one of them.
#pragma once

#include <array>
#include <cstdint>

#include "base/text/words.h"
#include "config/fields.h"
#include "data/loading/epoch_plan.h"

namespace convoy {

enum class EmaPhase { end, start };
constexpr std::array<Word<EmaPhase>, 2> words_of(EmaPhase) {
  return {{{"end", EmaPhase::end}, {"start", EmaPhase::start}}};
}
enum class EmaWarmup { none, copy, ramp };
constexpr std::array<Word<EmaWarmup>, 3> words_of(EmaWarmup) {
  return {{{"none", EmaWarmup::none}, {"copy", EmaWarmup::copy}, {"ramp", EmaWarmup::ramp}}};
}

struct WeightAverage {
  bool model_ema = false;
  double ema_decay = 0;
  int ema_steps = 1;
  bool ema_adjust = false;
  EmaPhase ema_phase = EmaPhase::end;
  EmaWarmup ema_warmup = EmaWarmup::none;
  double swa_start_epoch = -1, swa_every_epochs = 1, swa_lr = 0;  // -1: none

  // What the rest of the run says.
  struct Site {
    double epochs;         // asked for; 0: steps alone were
    double warmup_epochs;  // of the learning rate
    int64_t global_batch;
  };

  // Declares the options, and refuses those that would do nothing.
  void describe(Fields& field);
  // Refuses what makes no sense in this run.
  void check(const Site& site) const;

  bool swa() const { return swa_start_epoch >= 0; }
  bool on() const { return swa() || ema_decay > 0; }

  // Whether the average moves after so many steps, of which the newest may be the reason.
  bool is_due(int64_t steps, const EpochPlan& plan) const;
  // By what the average is multiplied then, the weights having the rest. `averaged`: how often it
  // moved since it last was a copy.
  double decay(int64_t averaged, const Site& site) const;
  // Whether an average that moved after so many steps counts as a copy: the next move makes one.
  bool starts_over(int64_t steps, const EpochPlan& plan, const Site& site) const;
  // The rate of the update that follows `step` updates, which would be `scheduled`.
  double rate(int64_t step, const EpochPlan& plan, double scheduled) const;

 private:
  void describe_swa(Fields& field);
};

}  // namespace convoy
