// What becomes of numbers beyond the largest of fp16, 65504, when they are stored: infinity, or
// with --saturate-on-overflow that number. Settled once for the process, as the ISA level is,
// before anything is computed.
#pragma once

#include <limits>

namespace convoy {

// Numbers are clamped to plus and minus this before they are rounded to fp16. A NaN stays.
inline float f16_limit = std::numeric_limits<float>::infinity();

inline void saturate_f16(bool on) {
  f16_limit = on ? 65504.0f : std::numeric_limits<float>::infinity();
}

}  // namespace convoy
