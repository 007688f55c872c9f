#include "data/loading/epoch_plan.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "tensor/shape.h"

namespace convoy {
namespace {

// Rounds up, but 3.0000000000000004 (30 * 0.1) becomes 3.
int64_t whole_up(double x) { return static_cast<int64_t>(std::ceil(x - 1e-12 * std::max(x, 1.0))); }

int64_t epoch_length(int64_t samples, int64_t batch, const Repeats& repeats) {
  constexpr int64_t together = 256;
  if (repeats.times > 1)
    samples = samples / together * together / repeats.replicas * repeats.replicas;
  if (repeats.most_steps == 0 || samples / repeats.most_steps < batch) return samples;
  return repeats.most_steps * batch;
}

}  // namespace

double whole_steps(double steps) { return std::floor(steps + 1e-12 * std::max(steps, 1.0)); }

EpochPlan::EpochPlan(int64_t samples, int64_t batch, double epochs, EpochTail tail, Repeats repeats)
    : dataset_(samples),
      samples_(epoch_length(samples, batch, repeats)),
      batch_(batch),
      epochs_(epochs),
      tail_(tail),
      repeats_(repeats) {
  if (samples < 1) raise(Fault::data, "the dataset is empty; try: another --dataset or --data-dir");
  if (batch < 1)
    raise(Fault::usage, "a global batch of {} samples; try: --batch-size 1 or more", batch);
  if (!(epochs >= 0) || epochs > 1e9) {
    raise(Fault::usage, "cannot train for {} epochs; try: --epochs from 0 to 1e9", epochs);
  }
  if (samples_ < 1) {
    raise(Fault::usage,
          "--ra-sampler makes epochs of whole 256 images, and the dataset has {}; try: without it",
          samples);
  }
  if (tail == EpochTail::drop && samples_ < batch) {
    raise(Fault::usage,
          "the global batch of {} samples is larger than the dataset of {}, which leaves no step "
          "in an epoch; try: a smaller --batch-size, or --epoch-tail carry",
          batch, samples_);
  }
}

int64_t EpochPlan::epoch_steps() const {
  return tail_ == EpochTail::drop ? samples_ / batch_ : divide_up(samples_, batch_);
}

double EpochPlan::steps_per_epoch() const {
  if (tail_ != EpochTail::carry) return static_cast<double>(epoch_steps());
  return static_cast<double>(samples_) / static_cast<double>(batch_);
}

int64_t EpochPlan::total_steps() const {
  if (tail_ != EpochTail::carry) return whole_up(static_cast<double>(epoch_steps()) * epochs_);
  const double steps = static_cast<double>(samples_) * epochs_ / static_cast<double>(batch_);
  return epochs_ > 0 ? std::max<int64_t>(static_cast<int64_t>(whole_steps(steps)), 1) : 0;
}

int64_t EpochPlan::steps_through(int64_t epochs) const {
  if (tail_ != EpochTail::carry) return epoch_steps() * epochs;
  return divide_up(samples_ * epochs, batch_);
}

double EpochPlan::epochs_after(int64_t steps) const {
  if (tail_ != EpochTail::carry) {
    return static_cast<double>(steps) / static_cast<double>(epoch_steps());
  }
  if (epochs_ > 0 && steps == total_steps()) return epochs_;
  return static_cast<double>(steps) * static_cast<double>(batch_) / static_cast<double>(samples_);
}

int64_t EpochPlan::count(int64_t step) const {
  if (tail_ != EpochTail::short_) return batch_;
  return std::min(batch_, samples_ - step % epoch_steps() * batch_);
}

Position EpochPlan::place(int64_t step, int64_t i) const {
  if (tail_ == EpochTail::carry || tail_ == EpochTail::wrap) {
    const int64_t sample = step * batch_ + i;
    return {.epoch = sample / samples_, .index = sample % samples_};
  }
  return {.epoch = step / epoch_steps(), .index = step % epoch_steps() * batch_ + i};
}

Position EpochPlan::at(int64_t step, int64_t i) const {
  if (repeats_.times == 1) return place(step, i);
  const int64_t each = batch_ / repeats_.replicas;
  Position found = place(step, i % each * repeats_.replicas + i / each);
  found.copy = found.index % repeats_.times;
  found.index /= repeats_.times;
  return found;
}

}  // namespace convoy
