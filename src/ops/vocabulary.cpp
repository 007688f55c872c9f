#include "ops/vocabulary.h"

#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/cast.h"
#include "ops/family.h"
#include "ops/loss/cross_entropy.h"
#include "ops/reorder.h"

namespace convoy::ops {
namespace {

Value copy(Builder& b, Value x) { return cast(b, x, b.type(x).dtype); }

}  // namespace

Vocabulary vocabulary() {
  Vocabulary words{.sum = add,
                   .copy = copy,
                   .reorder = reorder,
                   .cast = cast,
                   .loss_seed = loss_seed,
                   .fusions = {}};
  for (const OpFamily& family : ops_catalog()) {
    words.fusions.insert(words.fusions.end(), family.fusions.begin(), family.fusions.end());
  }
  return words;
}

}  // namespace convoy::ops
