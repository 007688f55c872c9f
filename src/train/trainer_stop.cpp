// When the trainer ends before the epochs it was given (train/stop_rules.h).

#include <cstdlib>

#include "base/clock.h"
#include "train/trainer.h"

namespace convoy {

bool Trainer::lost_patience() {
  return config_.stop.patience > 0 && progress_.stale >= config_.stop.patience &&
         progress_.step < progress_.last_step;
}

void Trainer::end_at(int64_t last_step, std::string reason) {
  progress_.last_step = last_step;
  listener_.on(Shortened{progress_.step, last_step, std::move(reason)});
}

// The schedule's step goes ahead so that it is at its end when the run is. Every process takes what
// rank 0 finds: their clocks differ.
void Trainer::fit_into_time() {
  const int64_t total = setup_.total_steps(), done = progress_.step - first_step_;
  if (done == 10 || done == 30 || done % 100 == 0) {
    const double now = elapsed(), eval = static_cast<double>(setup_.eval_set->size());
    const double steps = (steady_seconds() - started_ - boundary_seconds_) /
                         static_cast<double>(std::max<int64_t>(done, 1));
    // Before the first evaluation: a forward pass is a third of a step.
    const double first_guess =
        config_.eval_epochs > 0
            ? steps / 3 * eval / static_cast<double>(setup_.shape.global_batch())
            : 0;
    int64_t fits = steps_in_time(
        {.seconds_left = config_.stop.max_hours * 3600 - now,
         .step_seconds = steps,
         .boundary_seconds =
             boundaries_ ? boundary_seconds_ / static_cast<double>(boundaries_) : first_guess,
         .boundary_steps = config_.eval_epochs * setup_.epochs.steps_per_epoch()},
        total - progress_.step);
    if (transport_) transport_->broadcast(0, std::as_writable_bytes(std::span(&fits, 1)));
    const int64_t last = progress_.step + fits;
    const auto change = std::abs(last - progress_.last_step);
    if (fits == 0 ||
        static_cast<double>(change) > 0.01 * static_cast<double>(progress_.last_step)) {
      end_at(last, fmt::format("what {:g} hours allow", config_.stop.max_hours));
    }
  }
  if (const int64_t left = progress_.last_step - progress_.step + 1; left > 0) {
    progress_.scheduled +=
        (static_cast<double>(total) - progress_.scheduled) / static_cast<double>(left);
  }
}

}  // namespace convoy
