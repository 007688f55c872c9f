// Effects that map each pixel value by a table, with Pillow's rounding. Some tables are fixed, some
// depend on the plane's histogram.
#pragma once

#include <array>

#include "data/policy/planes.h"

namespace convoy::policy {

using ByteTable = std::array<uint8_t, 256>;

// Keeps the upper `bits` bits, 0 to 8.
ByteTable posterized(int bits);
// Inverts values at or above the threshold.
ByteTable solarized(double threshold);
ByteTable inverted();

void look_up(const Planes& image, const ByteTable& table);

// Stretches the values of each plane to 0..255.
void autocontrast(const Planes& image);
// Makes the histogram of each plane as flat as a table can.
void equalize(const Planes& image);

}  // namespace convoy::policy
