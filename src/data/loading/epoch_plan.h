// Computes which samples an optimizer step uses: positions in the order of an epoch. In one run
// they depend on the step's number alone, so the position in the data is one integer. When the
// batch does not divide the epoch, its end is handled by one of four rules:
//   - carry: a step may have the last samples of one epoch and the first of the next
//   - drop: the epoch ends with its last full batch; the rest of its order is not used
//   - short: the last step of the epoch has the remaining samples
//   - wrap: the same samples as with carry, but an epoch counts as a whole number of steps, rounded
//     up
#pragma once

#include <cstdint>

#include "base/text/words.h"

namespace convoy {

enum class EpochTail { carry, drop, short_, wrap };
constexpr auto words_of(EpochTail) { return words<EpochTail>("carry", "drop", "short", "wrap"); }

// Rounds down, but 28.999999999999996 (0.29 * 100) becomes 29.
double whole_steps(double steps);

struct Position {
  int64_t epoch;
  int64_t index;     // within the epoch's order (data/loading/order.h)
  int64_t copy = 0;  // which repetition of the sample, with repeated augmentation

  bool operator==(const Position&) const = default;
};

// How an epoch differs from the dataset. Repeated augmentation like torchvision's sampler: each
// sample occurs `times` times in a row, distributed over the replicas in turn, and an epoch has as
// many images as the dataset, rounded down to a multiple of 256 and then of the number of replicas.
struct Repeats {
  int64_t times = 1;
  int64_t replicas = 1;
  int64_t most_steps = 0;  // an epoch has at most this number of steps; 0: no limit
};

class EpochPlan {
 public:
  // `samples`: of the dataset. `batch`: samples per step, over all replicas and micro-batches.
  // `epochs` may be fractional. With `drop` a batch larger than an epoch is a usage error.
  EpochPlan(int64_t samples, int64_t batch, double epochs, EpochTail tail, Repeats repeats = {});

  // carry: samples / batch, not rounded; drop: rounded down; short, wrap: rounded up.
  double steps_per_epoch() const;

  // carry: samples * epochs / batch rounded down, at least one. The others: steps_per_epoch() *
  // epochs, rounded up.
  int64_t total_steps() const;

  // The steps after which `epochs` whole epochs are done, in a longer run. With carry the last of
  // these steps may also have samples of the next epoch.
  int64_t steps_through(int64_t epochs) const;

  // Epochs done after `steps` steps; after the last step exactly the run's epochs.
  double epochs_after(int64_t steps) const;

  // The samples of the step: the batch, or fewer in the last step of an epoch with `short`.
  int64_t count(int64_t step) const;

  // The samples of a full step.
  int64_t batch() const { return batch_; }
  int64_t epoch_samples() const { return samples_; }  // repetitions included
  int64_t dataset_samples() const { return dataset_; }
  EpochTail tail() const { return tail_; }

  // The position of sample i of the step, i in [0, count(step)).
  Position at(int64_t step, int64_t i) const;

 private:
  int64_t epoch_steps() const;  // of an epoch; not for carry
  Position place(int64_t step, int64_t i) const;

  int64_t dataset_, samples_, batch_;
  double epochs_;
  EpochTail tail_;
  Repeats repeats_;
};

}  // namespace convoy
