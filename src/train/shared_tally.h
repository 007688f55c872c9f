// What the samples of several processes gave, counted by all of them alike: losses are added one by
// one in the order of samples, so that the digits are those of one process.
#pragma once

#include <vector>

#include "dist/transport.h"
#include "train/task.h"

namespace convoy {

class SharedTally {
 public:
  // Keeps the transport. `most`: the samples that one rank has at most between two gatherings.
  SharedTally(Transport* transport, int64_t most);

  // Nothing has been added. Allocates nothing, as all of this does while samples are images.
  void start();
  // The results of a run on a batch; its samples are this rank's from number `first` on.
  void add(const Task& task, const Executor& executor, const Batch& batch, int64_t first);
  // Adds everybody's to `tally`, but for bad samples. `word`: what this rank has to tell besides;
  // given back is that of the first rank whose is not 0.
  int64_t gather(int64_t word, Tally& tally);
  // Samples that were no images: after `gather` of all ranks, in the order of samples.
  const std::vector<Batch::Bad>& bad() const { return bad_; }

 private:
  struct Counts {
    int64_t samples = 0, correct = 0, correct5 = 0, bad = 0, word = 0;
  };
  static constexpr size_t head = sizeof(Counts) / sizeof(double);

  Transport* transport_;            // null: there are no others
  std::vector<double> mine_, all_;  // records: counts, then the loss of each sample
  Counts now_;
  std::vector<Batch::Bad> bad_;
};

}  // namespace convoy
