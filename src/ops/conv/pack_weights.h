// WeightPacking's tasks in vectors, where the packed order has whole blocks of output or input
// channels in neighbouring places, alone (fp32) or in pairs (bf16). Other orders are left to
// WeightPacking.
#pragma once

#include "tensor/weight_packing.h"

namespace convoy::ops {

void pack_weights(const WeightPacking& packing, int task, const float* plain, std::byte* packed);
void unpack_weights(const WeightPacking& packing, int task, const float* packed, float* plain);

}  // namespace convoy::ops
