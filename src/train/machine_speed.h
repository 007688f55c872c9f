// What the machine can do at best right now, on the threads of a pool: measured in a tenth of a
// second. Figures of speed are shares of it, and the plan's estimate of time is made from it.
#pragma once

#include "base/threads/thread_pool.h"

namespace convoy {

struct MachineSpeed {
  double flops = 0;  // multiply-adds on registers, two operations each, a second
  double bytes = 0;  // read and written, of arrays larger than any cache, a second
};

MachineSpeed measure_speed(ThreadPool& pool);

}  // namespace convoy
