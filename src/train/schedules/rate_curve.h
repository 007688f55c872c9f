// The losses of a run whose learning rate grows from step to step, and what they say about the rate
// to train with (L. N. Smith, "Cyclical learning rates for training neural networks", 2017).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace convoy {

class RateCurve {
 public:
  // `smooth`: how much of the old mean is kept when a loss joins it, 0 to below 1. The mean is
  // corrected for its start.
  explicit RateCurve(double smooth) : smooth_(smooth) {}

  struct Row {
    double lr = 0;
    double loss = 0, smoothed = 0;  // smoothed: NaN from the first loss on that is not finite
  };

  // Rates grow. False: it has diverged, the smoothed loss being above four times its best, or the
  // loss no finite number; there is nothing to be learnt from going on.
  bool add(double lr, double loss);

  const std::vector<Row>& rows() const { return rows_; }
  bool has_diverged() const { return has_diverged_; }

  struct Reading {
    double steepest = 0;           // the rate at which the smoothed loss falls fastest
    double minimum = 0;            // at which it is least
    bool ends_at_minimum = false;  // it was still falling at the last step

    double tenth() const { return minimum / 10; }
    // The larger of the two. Where the outputs of fresh weights are only too large, the loss falls
    // fastest while those shrink, long before anything is learnt.
    double suggestion() const { return std::max(steepest, tenth()); }
  };
  // Empty: the loss falls nowhere by more than its noise, or there are too few steps to tell.
  std::optional<Reading> reading() const;

 private:
  double smooth_;
  double mean_ = 0, weight_ = 0, best_ = 0;
  bool has_diverged_ = false;
  std::vector<Row> rows_;
};

// The rate of step `step` of `steps`, from `low` to `high` by a constant factor.
double growing_rate(int64_t step, int64_t steps, double low, double high);

}  // namespace convoy
