// Options shared by several schedules.
#pragma once

#include "config/fields.h"

namespace convoy {

// The final rate: a share of the peak, or an absolute rate.
struct FinalRate {
  double ratio = 0;
  double rate = 0;

  // Declares both options; refuses both at once.
  void describe(Fields& field);
  double of(double peak) const { return rate > 0 ? rate : ratio * peak; }
};

// Declares --learning-rate-decay: the factor of each drop.
double describe_drop(Fields& field);

}  // namespace convoy
