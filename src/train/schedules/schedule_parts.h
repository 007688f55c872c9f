// Options that several schedules share, so that one word means one thing in all of them.
#pragma once

#include "config/fields.h"

namespace convoy {

// Where a falling rate ends: a share of the peak, or a rate.
struct FinalRate {
  double ratio = 0;
  double rate = 0;

  // Declares both; refuses both at once.
  void describe(Fields& field);
  double of(double peak) const { return rate > 0 ? rate : ratio * peak; }
};

// Declares --learning-rate-decay: what each drop multiplies the rate by.
double describe_drop(Fields& field);

}  // namespace convoy
