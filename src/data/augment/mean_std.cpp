#include "data/augment/mean_std.h"

#include <fmt/format.h>

#include "base/error.h"

namespace convoy {
namespace {

MeanStd resolved(const AugmentOptions& options) {
  auto own = options.own.read<MeanStd>();
  if (own.mean.empty()) own.mean = options.mean;
  if (own.std.empty()) own.std = options.std;
  return own;
}

void spread(std::string_view key, std::vector<double>& values, int64_t channels) {
  if (values.size() != 1 && static_cast<int64_t>(values.size()) != channels) {
    raise(Fault::usage,
          "{} values for {}, but the images have {} channels; try: one value, or one per channel",
          values.size(), key, channels);
  }
  values.resize(static_cast<size_t>(channels), values.front());
}

}  // namespace

void MeanStd::describe(Fields& field) {
  field("mean", mean,
        "mean of the pixels in 0..1, one or one per channel of the image, in its order; default: "
        "the dataset's",
        between(-1000, 1000));
  field("std", std,
        "standard deviation of the pixels in 0..1, one or one per channel of the image, in its "
        "order; default: the dataset's",
        between(1e-6, 1000));
}

MeanStd mean_std_of(const AugmentOptions& options, int64_t channels) {
  MeanStd own = resolved(options);
  spread("mean", own.mean, channels);
  spread("std", own.std, channels);
  for (const double std : own.std) {
    if (!(std > 0)) raise(Fault::usage, "a std of {} for the pixels; try: values above 0", std);
  }
  return own;
}

ToldOptions told_mean_std(const AugmentOptions& options) {
  const MeanStd own = resolved(options);
  return {{"mean", fmt::format("{}", fmt::join(own.mean, ","))},
          {"std", fmt::format("{}", fmt::join(own.std, ","))}};
}

}  // namespace convoy
