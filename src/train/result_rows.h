// The results of a step's runs, gathered from all processes: see SharedTally.
#pragma once

#include "train/shared_tally.h"

namespace convoy {

class ResultRows {
 public:
  // At most `parts` runs between two gatherings, each with at most `samples` samples.
  ResultRows(int parts, int64_t samples, Transport* transport)
      : each_(samples), tally_(transport, parts * samples) {}
  void start() { tally_.start(); }
  void add(const Task& task, const Executor& executor, const Batch& batch, int part) {
    tally_.add(task, executor, batch, part * each_);
  }
  int64_t gather(int64_t word, Tally& into) { return tally_.gather(word, into); }
  const std::vector<Batch::Bad>& bad() const { return tally_.bad(); }

 private:
  int64_t each_;
  SharedTally tally_;
};

}  // namespace convoy
