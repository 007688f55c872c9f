// Gathers the rows of samples that one step or one round of an evaluation gives, in several runs of
// a plan and in several processes, and adds them to results in the order of samples: every process
// gets the digits of a single one.
#pragma once

#include <vector>

#include "dist/transport.h"
#include "train/tasks/task.h"

namespace convoy {

class ResultRows {
 public:
  // At most `parts` runs of this process between two gatherings. `most`: the samples that any
  // process has at most between them, the same number in all. `transport`: to the other processes,
  // kept; null: there are none.
  ResultRows(int parts, int64_t most, Transport* transport);

  // Nothing has been added. Allocates nothing once rows have had their usual length, as all of this
  // does while samples are images.
  void start();
  // The rows of a run on a batch, which holds the samples of part `part` of this process; parts
  // come in any order.
  void add(const Task& task, const Executor& executor, const Batch& batch, int part);
  // Adds the rows of all processes to `results`. `word`: a flag of this rank; the first that is not
  // 0, by rank, is given back on all of them.
  int64_t gather(int64_t word, Results& results);
  // Samples that were no images: after `gather`, of all processes in the order of samples.
  const std::vector<Batch::Bad>& bad() const { return bad_; }

 private:
  struct Head {
    int64_t numbers = 0, bad = 0, word = 0;  // numbers: of the flat rows
  };
  static constexpr size_t head = sizeof(Head) / sizeof(double);

  int64_t gather_from_all(int64_t word, Results& results);

  Transport* transport_;
  std::vector<Rows> parts_;
  std::vector<double> mine_, all_;  // of each rank: its head, then its rows where they fit
  Rows received_;
  std::vector<Batch::Bad> bad_;
};

}  // namespace convoy
