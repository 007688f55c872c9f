#include "data/sources/val_share.h"

#include <algorithm>

#include "base/files/file.h"
#include "base/random.h"

namespace convoy {

std::vector<bool> held_out(const std::vector<std::string>& names, double share) {
  std::vector<double> places;  // of each name, in [0, 1)
  for (const std::string& name : names) places.push_back(Random(hash_bytes(name)).uniform());
  std::vector<bool> is_out;
  for (const double place : places) is_out.push_back(place < share);
  if (names.size() < 2) return std::vector<bool>(names.size(), false);
  const auto [least, most] = std::ranges::minmax_element(places);
  const auto count = std::ranges::count(is_out, true);
  if (count == 0) is_out[static_cast<size_t>(least - places.begin())] = true;
  if (count == std::ssize(names)) is_out[static_cast<size_t>(most - places.begin())] = false;
  return is_out;
}

}  // namespace convoy
