#include "train/evaluate.h"

namespace convoy {

Evaluator::Evaluator(const Task& task, Executor& executor, const Dataset& dataset,
                     const AugmentChain& chain, int64_t batch, const LoaderSpec& loader,
                     TellBad tell_bad)
    : task_(task),
      executor_(executor),
      dataset_(dataset),
      chain_(chain),
      plan_(evaluation_plan(dataset.size(), batch)),
      spec_(loader),
      tell_bad_(std::move(tell_bad)) {
  spec_.batch = batch;
  spec_.parts = 1;
  spec_.first_step = 0;
  spec_.last_step = plan_.total_steps();
  spec_.shuffle = false;
  if (spec_.bad == BadSamples::replace) spec_.bad = BadSamples::leave_out;
}

std::optional<Tally> Evaluator::run(const std::function<bool(int64_t)>& watch) {
  Loader loader(dataset_, chain_, plan_, spec_);
  Tally tally;
  while (!loader.done()) {
    const Batch& batch = loader.next();
    count_bad(batch, spec_.max_bad, tally.bad, tell_bad_);
    for (const NamedTensor& tensor : batch.tensors()) executor_.try_bind(tensor.name, tensor.data);
    executor_.run();
    task_.count(executor_, batch, tally);
    if (!watch(tally.samples)) return std::nullopt;
  }
  return tally;
}

}  // namespace convoy
