// Which ISA level is recorded with results: instructions for bf16 change nothing in fp32 and
// fp16, so that such a run may go on where there are others of them.
#pragma once

#include "tensor/isa.h"
#include "train/precision/precision.h"

namespace convoy {

// The lowest level with the same results as isa_level().
inline Isa results_level(const Precision& precision) {
  return precision.dtype == FloatKind::bf16 ? isa_level() : fp32_level(isa_level());
}

}  // namespace convoy
