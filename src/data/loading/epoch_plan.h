// Which samples an optimiser step sees: arithmetic from the step's number alone, so that the place
// in the data is one integer. What the end of an epoch does when the batch does not divide it:
//   - carry: the sample counter runs on: a step may hold the end of one epoch and the start of the
//     next
//   - drop: the epoch ends with its last full batch; the rest of its order is not seen
//   - short: the epoch's last step has the samples that are left
//   - wrap: the sample counter runs on, and an epoch counts as over after as many whole steps as
//     its samples need
#pragma once

#include <array>
#include <cstdint>

#include "base/text/words.h"

namespace convoy {

enum class EpochTail { carry, drop, short_, wrap };
constexpr std::array<Word<EpochTail>, 4> words_of(EpochTail) {
  return {{{"carry", EpochTail::carry},
           {"drop", EpochTail::drop},
           {"short", EpochTail::short_},
           {"wrap", EpochTail::wrap}}};
}

// The whole steps in a number of them, but 28.999999999999996 (0.29 * 100) has 29.
double whole_steps(double steps);

struct Position {
  int64_t epoch;
  int64_t index;     // within the epoch's order
  int64_t copy = 0;  // of the sample, which repeated augmentation shows several times

  bool operator==(const Position&) const = default;
};

// Repeated augmentation as torchvision's sampler has it: each sample comes `times` times in a row,
// a copy to each replica in turn, and an epoch ends after as many images as the dataset has, in
// whole 256s.
struct Repeats {
  int64_t times = 1;
  int64_t replicas = 1;
};

class EpochPlan {
 public:
  // `samples` in the dataset, `batch` samples per step over all replicas and accumulation, `epochs`
  // whole or not. With `drop` a batch larger than an epoch is a usage error.
  EpochPlan(int64_t samples, int64_t batch, double epochs, EpochTail tail, Repeats repeats = {});

  // carry: samples / batch, not rounded; drop: rounded down; short, wrap: rounded up.
  double steps_per_epoch() const;

  // carry: the whole steps in samples * epochs, at least one. The others:
  // steps_per_epoch() * epochs, a fraction of a step being one.
  int64_t total_steps() const;

  // Steps after which `epochs` whole epochs have been seen, in a run that is longer. With carry the
  // last of them may hold samples of the next epoch too.
  int64_t steps_through(int64_t epochs) const;

  // Epochs done after `steps` steps; the last step ends the last one.
  double epochs_after(int64_t steps) const;

  // Samples of the step: the batch, or fewer in the last step of an epoch with `short`.
  int64_t count(int64_t step) const;

  // The largest number of samples a step has.
  int64_t batch() const { return batch_; }
  int64_t samples() const { return samples_; }  // of an epoch
  int64_t dataset() const { return dataset_; }  // samples to choose from
  EpochTail tail() const { return tail_; }

  // Where sample i of the step is found, i in [0, count(step)).
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
