#include "train/evaluate.h"

#include <algorithm>

#include "train/bind_batch.h"
#include "train/tasks/result_rows.h"

namespace convoy {

Evaluator::Evaluator(const Task& task, Executor& executor, const Dataset& dataset,
                     const AugmentChain& chain, int64_t batch, const LoaderSpec& loader,
                     TellBad tell_bad, Transport* transport)
    : task_(task),
      executor_(executor),
      dataset_(dataset),
      chain_(chain),
      plan_(evaluation_plan(dataset.size(), batch)),
      spec_(loader),
      tell_bad_(std::move(tell_bad)),
      transport_(transport && transport->size() > 1 ? transport : nullptr) {
  spec_.batch = batch;
  spec_.parts = 1;
  spec_.form = task.form();
  spec_.first_step = 0;
  spec_.last_step = plan_.total_steps();
  spec_.shuffle = false;
  if (spec_.bad == BadSamples::replace) spec_.bad = BadSamples::leave_out;
}

void Evaluator::run_batch(const Batch& batch) {
  bind(executor_, batch);
  executor_.run();
}

// Runs in rounds of one batch per rank.
std::optional<Evaluator::Outcome> Evaluator::run(const std::function<bool(int64_t)>& watch) {
  LoaderSpec spec = spec_;
  if (transport_) {
    spec.first_step = std::min<int64_t>(transport_->rank(), spec.last_step);
    spec.stride = transport_->size();
  }
  Loader loader(dataset_, chain_, plan_, spec);
  ResultRows rows(1, spec.batch, transport_, ResultRows::of_evaluated_label);
  Outcome all{task_.results()};
  for (int64_t round = 0; round < divide_up(plan_.total_steps(), spec.stride); ++round) {
    rows.start();
    if (!loader.done()) {
      const Batch& batch = loader.next();
      run_batch(batch);
      rows.add(task_, executor_, batch, 0);
    }
    // The request to stop is sent with the rows, so that all processes stop after the same round.
    const bool stops = rows.gather(watch(all.results->samples()) ? 0 : 1, *all.results) != 0;
    count_bad(rows.bad(), spec_.max_bad, all.bad, tell_bad_);
    if (stops) return std::nullopt;
  }
  watch(all.results->samples());
  return all;
}

}  // namespace convoy
