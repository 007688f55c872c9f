#include "train/step_peers.h"

#include <cstring>

#include "train/bad_samples.h"
#include "train/step_runner.h"

namespace convoy {

StepPeers::StepPeers(Transport& transport, const StepShape& shape, const StateLayout& layout,
                     const Options& options, ThreadPool& pool)
    : transport_(transport),
      split_(shape.replicas, transport.size()),
      gradients_(transport, split_,
                 {.buckets = buckets(shape, layout, options),
                  .narrow_floats = options.narrow ? layout.param_floats : 0},
                 pool),
      most_samples_(static_cast<size_t>(split_.most() * shape.accumulation * shape.micro_batch)),
      mine_(sizeof(Counts) / sizeof(double) + most_samples_),
      all_(mine_.size() * static_cast<size_t>(transport.size())),
      each_part_(static_cast<size_t>(shape.plan_batch())) {}

std::vector<Bucket> StepPeers::buckets(const StepShape& shape, const StateLayout& layout,
                                       const Options& options) {
  return cut_into_buckets(layout.param_floats, options.bucket_floats,
                          shape.accumulation * layout.stat_floats);
}

void StepPeers::start() {
  gradients_.start();
  now_ = {};
  bad_.clear();
}

void StepPeers::add(const Task& task, const Executor& executor, const Batch& batch, int part) {
  double* losses =
      mine_.data() + sizeof(Counts) / sizeof(double) + static_cast<size_t>(part) * each_part_;
  for (int64_t i = 0; i < batch.valid; ++i) {
    Tally one;
    task.count(executor, batch, i, i + 1, one);
    losses[i] = one.loss;
    now_.samples += one.samples;
    now_.correct += one.correct;
    now_.correct5 += one.correct5;
  }
  now_.bad += static_cast<int64_t>(batch.bad.size());
  bad_.insert(bad_.end(), batch.bad.begin(), batch.bad.end());
}

Tally StepPeers::gather() {
  now_.stop = signal_ ? signal_->load() : 0;
  std::memcpy(mine_.data(), &now_, sizeof now_);
  transport_.all_gather(std::as_bytes(std::span(mine_)), std::as_writable_bytes(std::span(all_)));
  Tally tally;
  int64_t bad = 0;
  const size_t each = most_samples_ / static_cast<size_t>(split_.most());
  for (int rank = 0; rank < transport_.size(); ++rank) {
    const double* record = all_.data() + static_cast<size_t>(rank) * mine_.size();
    Counts counts;
    std::memcpy(static_cast<void*>(&counts), record, sizeof counts);
    const double* losses = record + sizeof(Counts) / sizeof(double);
    const size_t samples = each * static_cast<size_t>(split_.range(rank).count);
    for (size_t i = 0; i < samples; ++i) tally.loss += losses[i];
    tally.samples += counts.samples;
    tally.correct += counts.correct;
    tally.correct5 += counts.correct5;
    bad += counts.bad;
    if (!stop_) stop_ = static_cast<int>(counts.stop);
  }
  if (bad > 0) {
    const std::vector<std::string> texts = transport_.all_gather(pack_bad(bad_));
    bad_.clear();
    for (const std::string& text : texts) unpack_bad(text, bad_);
  }
  return tally;
}

}  // namespace convoy
