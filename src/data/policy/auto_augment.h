// AutoAugment: draws one row of a table, all equally likely; each of its two effects is applied
// with its own probability. The tables are in data/augment/auto_augment_*.cpp.
#pragma once

#include <span>

#include "data/policy/policy_augment.h"

namespace convoy::policy {

struct AutoEffect {
  Effect effect = Effect::identity;
  double probability = 0;
  int bin = 0;  // of ten; unused if the effect has no amount
};

struct AutoRow {
  AutoEffect first, second;
};

// `name` is for messages; `rows` must outlive the augmentation.
std::unique_ptr<Augment> make_auto_augment(std::string_view name, std::span<const AutoRow> rows,
                                           const AugmentOptions& options, const Shape& image);

}  // namespace convoy::policy
