// Collects the result rows of a step, or of one round of an evaluation, from several runs of a plan
// and several processes, and adds them to results in the order of samples. So every process gets
// the same digits as a single process.
#pragma once

#include <vector>

#include "dist/transport.h"
#include "train/tasks/task.h"

namespace convoy {

class ResultRows {
 public:
  // `parts`: the most runs of this process between two calls of `gather`. `most`: the most samples
  // of any process between them; the same number on all processes. `transport`: to the other
  // processes, kept; null: a single process. `numbers`: of a usual row with its length; longer rows
  // take a second message.
  ResultRows(int parts, int64_t most, Transport* transport, int64_t numbers = of_label);
  // Of a row of classification.
  static constexpr int64_t of_label = 3, of_evaluated_label = 8;

  // Discards all rows. After rows have had their usual length once, none of these functions
  // allocates, as long as there are no bad samples.
  void start();
  // Adds the rows of a run on a batch with the samples of part `part` of this process; parts may
  // come in any order.
  void add(const Task& task, const Executor& executor, const Batch& batch, int part);
  // Adds the rows of all processes to `results`. `word`: a flag of this rank; returns on all ranks
  // the first flag by rank that is not 0.
  int64_t gather(int64_t word, Results& results);
  // Undecodable samples; after `gather` those of all processes, in the order of samples.
  const std::vector<Batch::Bad>& bad() const { return bad_; }

 private:
  struct Head {
    int64_t numbers = 0, bad = 0, word = 0;  // numbers: length of the flat rows
  };
  static constexpr size_t head = sizeof(Head) / sizeof(double);

  int64_t gather_from_all(int64_t word, Results& results);

  Transport* transport_;
  std::vector<Rows> parts_;
  std::vector<double> mine_, all_;  // per rank: its head, then its rows if they fit
  Rows received_;
  std::vector<Batch::Bad> bad_;
};

}  // namespace convoy
