// What the losses of logits share: smoothed targets, the softmax's logarithm, labels that are
// checked. All in double.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "ops/cross_entropy.h"
#include "tensor/kernel.h"

namespace convoy::ops {

// What the label's class, and any other, has of the target.
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

// log(sum(exp(row))) is top + log_sum: kept apart, so that huge logits cost no digits.
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

// Labels come from files.
inline int32_t checked_label(const int32_t* labels, int64_t sample, int64_t classes) {
  const int32_t label = labels[sample];
  if (label < 0 || label >= classes) {
    raise(Fault::data, "sample {} of the batch has the label {}, but there are {} classes", sample,
          label, classes);
  }
  return label;
}

inline Chunks by_rows(int64_t rows) { return {rows, 8}; }

}  // namespace convoy::ops
