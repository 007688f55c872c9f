// Shared by the losses on logits: smoothed targets, log-softmax, checked labels. All in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "ops/loss/cross_entropy.h"

namespace convoy::ops {

// The target of the label's class, and of every other class.
struct Targets {
  double hit, miss;
};
inline Targets targets(const CrossEntropyOptions& o, int64_t classes) {
  const auto s = static_cast<double>(o.smoothing);
  if (o.kind == Smoothing::uniform) {
    const double share = s / static_cast<double>(classes);
    return {1 - s + share, share};
  }
  return {1 - s, classes > 1 ? s / static_cast<double>(classes - 1) : 0};
}

// log(sum(exp(row))) is top + log_sum; kept separate, so that large logits lose no precision.
struct LogSumExp {
  double top, log_sum;
};
inline LogSumExp log_sum_exp(const float* row, int64_t classes) {
  double top = row[0];
  for (int64_t k = 1; k < classes; ++k) top = std::max(top, static_cast<double>(row[k]));
  double sum = 0;
  for (int64_t k = 0; k < classes; ++k) sum += std::exp(row[k] - top);
  return {top, std::log(sum)};
}

// Labels come from files, so they are checked.
inline int32_t checked_label(const int32_t* labels, int64_t sample, int64_t classes) {
  const int32_t label = labels[sample];
  if (label < 0 || label >= classes) {
    raise(Fault::data, "sample {} of the batch has the label {}, but there are {} classes", sample,
          label, classes);
  }
  return label;
}

inline Chunks by_rows(int64_t rows) { return {rows, 8}; }

// A sample's logits (the first input) and what the loss needs of them.
struct LossRow {
  const KernelArgs& args;
  int64_t sample, classes;
  const float* logits;
  LogSumExp lse;
};
// Calls body(LossRow) for every sample.
template <class Body>
std::unique_ptr<Kernel> each_loss_row(const KernelSite& site, Body body) {
  const int64_t classes = site.in[0].shape[1];
  const Chunks rows = by_rows(site.in[0].shape[0]);
  const auto logits = site.input<float>(0);
  return one_phase(rows.tasks(), [=](int task, const KernelArgs& args) {
    for (int64_t i = rows.begin(task); i < rows.begin(task) + rows.length(task); ++i) {
      const float* row = logits(args) + i * classes;
      body(LossRow{args, i, classes, row, log_sum_exp(row, classes)});
    }
  });
}

}  // namespace convoy::ops
