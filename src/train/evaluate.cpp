#include "train/evaluate.h"

#include <algorithm>
#include <cstring>

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

// In rounds of a batch for each rank. What every sample gave is added up in the order of samples,
// by everybody: the digits are those of one process.
std::optional<Tally> Evaluator::run_shared(const std::function<bool(int64_t)>& watch) {
  struct Counts {
    int64_t samples = 0, correct = 0, correct5 = 0, bad = 0, goes_on = 1;
  };
  constexpr size_t head = sizeof(Counts) / sizeof(double);
  LoaderSpec spec = spec_;
  spec.first_step = std::min<int64_t>(transport_->rank(), spec.last_step);
  spec.stride = transport_->size();
  Loader loader(dataset_, chain_, plan_, spec);
  std::vector<double> mine(head + static_cast<size_t>(spec.batch));
  std::vector<double> all(mine.size() * static_cast<size_t>(transport_->size()));
  Tally tally;
  for (int64_t round = 0; round < divide_up(plan_.total_steps(), spec.stride); ++round) {
    Counts now;
    std::ranges::fill(mine, 0.0);
    std::vector<Batch::Bad> bad;
    if (!loader.done()) {
      const Batch& batch = loader.next();
      run_batch(batch);
      for (int64_t i = 0; i < batch.valid; ++i) {
        Tally one;
        task_.count(executor_, batch, i, i + 1, one);
        mine[head + static_cast<size_t>(i)] = one.loss;
        now.samples += one.samples;
        now.correct += one.correct;
        now.correct5 += one.correct5;
      }
      bad = batch.bad;
      now.bad = std::ssize(bad);
    }
    now.goes_on = watch(tally.samples) ? 1 : 0;
    std::memcpy(mine.data(), &now, sizeof now);
    transport_->all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    bool goes_on = true, any_bad = false;
    for (int rank = 0; rank < transport_->size(); ++rank) {
      const double* record = all.data() + static_cast<size_t>(rank) * mine.size();
      Counts counts;
      std::memcpy(static_cast<void*>(&counts), record, sizeof counts);
      for (size_t i = 0; i < static_cast<size_t>(spec.batch); ++i) tally.loss += record[head + i];
      tally.samples += counts.samples;
      tally.correct += counts.correct;
      tally.correct5 += counts.correct5;
      any_bad = any_bad || counts.bad > 0;
      goes_on = goes_on && counts.goes_on;
    }
    if (any_bad) {
      std::vector<Batch::Bad> of_all;
      for (const std::string& text : transport_->all_gather(pack_bad(bad))) {
        unpack_bad(text, of_all);
      }
      count_bad(of_all, spec_.max_bad, tally.bad, tell_bad_);
    }
    if (!goes_on) return std::nullopt;
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
