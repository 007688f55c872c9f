#include "train/schedules/schedule_parts.h"

#include "base/error.h"

namespace convoy {

void FinalRate::describe(Fields& field) {
  field("min-lr-ratio", ratio, "share of the peak that is left at the end", between(0, 1),
        {"poly-lr-end-ratio"});
  field("min-lr", rate, "instead of --min-lr-ratio: the rate at the end. 0: not used", at_least(0),
        {"lr-min", "end-learning-rate", "abs-end-learning-rate"});
  if (ratio > 0 && rate > 0) {
    raise(Fault::usage,
          "min-lr-ratio \"{}\" and min-lr \"{}\" both say where the rate ends; try: only one of "
          "them",
          ratio, rate);
  }
}

double describe_drop(Fields& field) {
  double decay = 0.1;
  field("learning-rate-decay", decay, "what each drop multiplies the rate by", between(0, 1),
        {"lr-gamma", "lr-decay-rate"});
  return decay;
}

}  // namespace convoy
