#include "ops/vocabulary.h"

#include "ops/elementwise/arithmetic.h"
#include "ops/elementwise/cast.h"
#include "ops/family.h"
#include "ops/loss/cross_entropy.h"
#include "ops/reorder.h"

namespace convoy::ops {
namespace {

// f16 gradients are added in fp32 and rounded again.
Value sum(Builder& b, Value x, Value y) {
  const DType type = b.type(x).dtype;
  if (type != DType::f16) return add(b, x, y);
  return cast(b, add(b, cast(b, x, DType::f32), cast(b, y, DType::f32)), type);
}

Value copy(Builder& b, Value x) { return cast(b, x, b.type(x).dtype); }

}  // namespace

Vocabulary vocabulary() {
  Vocabulary words{.sum = sum,
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
