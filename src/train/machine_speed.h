// Measures in a tenth of a second the peak speed of the machine on a pool's threads. Reported
// speeds are relative to it, and the estimated step time is based on it.
#pragma once

#include "base/threads/thread_pool.h"
#include "tensor/shape.h"

namespace convoy {

struct MachineSpeed {
  double flops = 0;       // per second, on registers; a multiply-add counts as two
  double bytes = 0;       // per second, read and written, of arrays larger than any cache
  double bf16_flops = 0;  // as flops, of products of bf16; 0: the ISA level has none

  // The peak for products of numbers that are stored in this type.
  double peak(DType stored) const {
    return stored == DType::bf16 && bf16_flops > 0 ? bf16_flops : flops;
  }
};

MachineSpeed measure_speed(ThreadPool& pool);

}  // namespace convoy
