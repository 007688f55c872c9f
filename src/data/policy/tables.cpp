#include "data/policy/tables.h"

#include <algorithm>

namespace convoy::policy {
namespace {

constexpr int values = 256;

using Histogram = std::array<int64_t, values>;

// The table of change(i) for all values i.
template <class Change>
ByteTable table_of(Change change) {
  ByteTable table{};
  for (int i = 0; i < values; ++i) table[static_cast<size_t>(i)] = static_cast<uint8_t>(change(i));
  return table;
}

void look_up_plane(uint8_t* plane, int64_t count, const ByteTable& table) {
  for (int64_t i = 0; i < count; ++i) plane[i] = table[plane[i]];
}

// Maps each plane by the table that `make` returns for its histogram.
template <class Make>
void map_planes(const Planes& image, Make make) {
  for (int64_t c = 0; c < image.channels; ++c) {
    uint8_t* plane = image.plane(c);
    Histogram counts{};
    for (int64_t i = 0; i < image.area(); ++i) ++counts[plane[i]];
    look_up_plane(plane, image.area(), make(counts));
  }
}

ByteTable unchanged() {
  return table_of([](int i) { return i; });
}

ByteTable spread(const Histogram& counts) {
  int low = 0, high = values - 1;
  while (low < values - 1 && counts[static_cast<size_t>(low)] == 0) ++low;
  while (high > 0 && counts[static_cast<size_t>(high)] == 0) --high;
  if (high <= low) return unchanged();
  const double scale = 255.0 / (high - low), offset = -low * scale;
  return table_of([&](int i) { return std::clamp(static_cast<int>(i * scale + offset), 0, 255); });
}

ByteTable flattened(const Histogram& counts) {
  int64_t total = 0, last = 0;
  for (const int64_t count : counts) {
    total += count;
    if (count > 0) last = count;
  }
  const int64_t step = (total - last) / 255;
  if (step == 0) return unchanged();
  int64_t below = step / 2;
  return table_of([&](int i) {
    const int64_t value = std::min<int64_t>(below / step, 255);
    below += counts[static_cast<size_t>(i)];
    return value;
  });
}

}  // namespace

ByteTable posterized(int bits) {
  const int mask = 0xff00 >> std::clamp(bits, 0, 8) & 0xff;
  return table_of([&](int i) { return i & mask; });
}

ByteTable solarized(double threshold) {
  return table_of([&](int i) { return i < threshold ? i : 255 - i; });
}

ByteTable inverted() {
  return table_of([](int i) { return 255 - i; });
}

void look_up(const Planes& image, const ByteTable& table) {
  look_up_plane(image.pixels, image.count(), table);
}

void autocontrast(const Planes& image) { map_planes(image, spread); }

void equalize(const Planes& image) { map_planes(image, flattened); }

}  // namespace convoy::policy
