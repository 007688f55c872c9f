#include "ops/vocabulary.h"

#include "ops/arithmetic.h"
#include "ops/cross_entropy.h"
#include "ops/family.h"
#include "ops/reorder.h"

namespace convoy::ops {

Vocabulary vocabulary() {
  Vocabulary words{.sum = add, .reorder = reorder, .loss_seed = loss_seed, .fusions = {}};
  for (const OpFamily& family : ops_catalog()) {
    words.fusions.insert(words.fusions.end(), family.fusions.begin(), family.fusions.end());
  }
  return words;
}

}  // namespace convoy::ops
