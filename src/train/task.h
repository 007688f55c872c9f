// A task turns a model into something that can be trained: inputs, results, losses, and how
// results are counted. Classification is one; others have more inputs and losses.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/compile.h"
#include "data/batch.h"
#include "engine/executor.h"
#include "graph/graph.h"

namespace convoy {

struct TaskShape {
  int64_t batch;     // images of the plan: all replicas that run together
  int replicas = 1;  // of them
  Shape image;       // [c, h, w]
  bool train = true;
};

struct TaskGraph {
  Graph graph;
  std::vector<Loss> losses;
  Value loss_scale;  // an input; absent in evaluation
};

// Counts over samples. Sums run in sample order, so they are the same however the work was cut.
struct Tally {
  double loss = 0;  // sum over samples
  int64_t samples = 0;
  int64_t correct = 0, correct5 = 0;
  int64_t bad = 0;  // samples that were no images, and are not among the others

  double mean_loss() const { return samples ? loss / static_cast<double>(samples) : 0; }
  double top1() const { return percent(correct); }
  double top5() const { return percent(correct5); }

 private:
  double percent(int64_t n) const {
    return samples ? 100.0 * static_cast<double>(n) / static_cast<double>(samples) : 0;
  }
};

class Task {
 public:
  virtual ~Task() = default;
  virtual TaskGraph build(const TaskShape& shape) const = 0;
  // Adds the results of a run on `batch` to the tally: its first `valid` samples count, where their
  // weight is not 0.
  void count(const Executor& executor, const Batch& batch, Tally& tally) const {
    count(executor, batch, 0, batch.valid, tally);
  }
  // Samples [first, last) alone.
  virtual void count(const Executor& executor, const Batch& batch, int64_t first, int64_t last,
                     Tally& tally) const = 0;
};

}  // namespace convoy
