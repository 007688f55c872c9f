// The losses of a learning-rate range test, and the rate that they suggest (L. N. Smith, "Cyclical
// learning rates for training neural networks", 2017).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy {

class RateCurve {
 public:
  // `smooth`: the weight of the old mean when a loss is added, from 0 to below 1. The mean is
  // bias-corrected.
  explicit RateCurve(double smooth) : smooth_(smooth) {}

  struct Row {
    double lr = 0;
    double loss = 0, smoothed = 0;  // smoothed: NaN from the first loss on that is not finite
  };

  // Adds a loss; rates must grow. False: the run has diverged (the smoothed loss exceeds four times
  // its best, or the loss is not finite) and should end.
  bool add(double lr, double loss);

  const std::vector<Row>& rows() const { return rows_; }
  bool has_diverged() const { return has_diverged_; }

  struct Reading {
    double steepest = 0;           // where the smoothed loss falls fastest
    double minimum = 0;            // where it is lowest
    bool ends_at_minimum = false;  // still falling at the last step

    double tenth() const { return minimum / 10; }
    // The larger of the two rates. With fresh weights whose outputs are too large, the loss falls
    // fastest while the outputs shrink, long before anything is learnt.
    double suggestion() const { return std::max(steepest, tenth()); }
  };
  // Empty: the loss never falls by more than its noise, or there are too few steps.
  std::optional<Reading> reading() const;

 private:
  double smooth_;
  double mean_ = 0, weight_ = 0, best_ = 0;
  bool has_diverged_ = false;
  std::vector<Row> rows_;
};

// The rate of step `step` of `steps`: grows from `low` to `high` by a constant factor.
double growing_rate(int64_t step, int64_t steps, double low, double high);

}  // namespace convoy
