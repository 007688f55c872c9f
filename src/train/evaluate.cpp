#include "train/evaluate.h"

#include <algorithm>

#include "train/shared_tally.h"

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
  spec_.first_step = 0;
  spec_.last_step = plan_.total_steps();
  spec_.shuffle = false;
  if (spec_.bad == BadSamples::replace) spec_.bad = BadSamples::leave_out;
}

void Evaluator::run_batch(const Batch& batch) {
  for (const NamedTensor& tensor : batch.tensors()) executor_.try_bind(tensor.name, tensor.data);
  executor_.run();
}

// In rounds of a batch for each rank.
std::optional<Tally> Evaluator::run_shared(const std::function<bool(int64_t)>& watch) {
  LoaderSpec spec = spec_;
  spec.first_step = std::min<int64_t>(transport_->rank(), spec.last_step);
  spec.stride = transport_->size();
  Loader loader(dataset_, chain_, plan_, spec);
  SharedTally shared(transport_, spec.batch);
  Tally tally;
  for (int64_t round = 0; round < divide_up(plan_.total_steps(), spec.stride); ++round) {
    shared.start();
    if (!loader.done()) {
      const Batch& batch = loader.next();
      run_batch(batch);
      shared.add(task_, executor_, batch, 0);
    }
    const bool stops = shared.gather(watch(tally.samples) ? 0 : 1, tally) != 0;
    count_bad(shared.bad(), spec_.max_bad, tally.bad, tell_bad_);
    if (stops) return std::nullopt;
  }
  watch(tally.samples);
  return tally;
}

std::optional<Tally> Evaluator::run(const std::function<bool(int64_t)>& watch) {
  if (transport_) return run_shared(watch);
  Loader loader(dataset_, chain_, plan_, spec_);
  Tally tally;
  while (!loader.done()) {
    const Batch& batch = loader.next();
    count_bad(batch.bad, spec_.max_bad, tally.bad, tell_bad_);
    run_batch(batch);
    task_.count(executor_, batch, tally);
    if (!watch(tally.samples)) return std::nullopt;
  }
  return tally;
}

}  // namespace convoy
