// What this core can do at best, for measurements to be compared with.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// Multiply-adds on registers alone, in as many chains as hide their latency. Gives the number of
// floating-point operations done; `sink` keeps the compiler honest.
double burn_fma(int64_t rounds, float* sink);

}  // namespace convoy::kernels
