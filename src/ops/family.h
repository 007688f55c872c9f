// The op families: each is one file in ops/, and `ops::ops_catalog()` lists them all.
#pragma once

#include <vector>

#include "graph/op.h"

namespace convoy::ops {

struct OpFamily {
  std::vector<const OpDef*> ops;
  std::vector<FusionRule> fusions = {};
};

const std::vector<OpFamily>& ops_catalog();

}  // namespace convoy::ops
