// Effects that give each value another by a table, with Pillow's rounding: some tables are fixed,
// some follow from the values that each plane holds.
#pragma once

#include <array>

#include "data/policy/planes.h"

namespace convoy::policy {

using ByteTable = std::array<uint8_t, 256>;

// Keeps the upper bits, 0 to 8.
ByteTable posterized(int bits);
// Turns over what is not below the threshold.
ByteTable solarized(double threshold);
ByteTable inverted();

void look_up(const Planes& image, const ByteTable& table);

// Spreads the values of each plane over 0..255.
void autocontrast(const Planes& image);
// Gives each plane the flattest histogram that a table can.
void equalize(const Planes& image);

}  // namespace convoy::policy
