#include "train/time_limit.h"

#include <cstdlib>

namespace convoy {

void end_at(const RunSite& site, RunState& state, int64_t last_step, std::string reason) {
  state.progress.last_step = last_step;
  site.listener.on(Shortened{state.progress.step, last_step, std::move(reason)});
}

void TimeLimit::add_boundary(double seconds) {
  ++boundaries_;
  boundary_seconds_ += seconds;
}

int64_t TimeLimit::fitting_steps(int64_t total, int64_t done) const {
  const RunSetup& setup = site_.setup;
  const double now = state_.elapsed(), eval = static_cast<double>(setup.eval_set->size());
  const double steps = (steady_seconds() - state_.started - boundary_seconds_) /
                       static_cast<double>(std::max<int64_t>(done, 1));
  // Before the first evaluation: estimate a forward pass as a third of a training step.
  const double first_guess =
      site_.config.eval_epochs > 0
          ? steps / 3 * eval / static_cast<double>(setup.shape.global_batch())
          : 0;
  return steps_in_time(
      {.seconds_left = site_.config.stop.max_hours * 3600 - now,
       .step_seconds = steps,
       .boundary_seconds =
           boundaries_ ? boundary_seconds_ / static_cast<double>(boundaries_) : first_guess,
       .boundary_steps = site_.config.eval_epochs * setup.epochs.steps_per_epoch()},
      total - state_.progress.step);
}

// Advances the schedule's step so that schedule and run end together. All processes use rank 0's
// decision, because their clocks differ.
void TimeLimit::after_step() {
  if (site_.config.stop.max_hours <= 0) return;
  RunProgress& progress = state_.progress;
  const int64_t total = site_.setup.total_steps(), done = progress.step - first_step_;
  if (done == 10 || done == 30 || done % 100 == 0) {
    int64_t fits = fitting_steps(total, done);
    if (site_.transport) {
      site_.transport->broadcast(0, std::as_writable_bytes(std::span(&fits, 1)));
    }
    const int64_t last = progress.step + fits;
    const auto change = std::abs(last - progress.last_step);
    if (fits == 0 || static_cast<double>(change) > 0.01 * static_cast<double>(progress.last_step)) {
      end_at(site_, state_, last,
             fmt::format("what {:g} hours allow", site_.config.stop.max_hours));
    }
  }
  if (const int64_t left = progress.last_step - progress.step + 1; left > 0) {
    progress.scheduled +=
        (static_cast<double>(total) - progress.scheduled) / static_cast<double>(left);
  }
}

}  // namespace convoy
