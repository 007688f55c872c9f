// Names of weights in capital letters, as no library has them.
#include <algorithm>
#include <cctype>

#include "weights/match.h"

namespace convoy {
namespace {

Renames rename(std::span<const std::string> names, std::span<const Wanted> wanted) {
  Renames renames;
  for (const Wanted& want : wanted) {
    std::string shouted = want.name;
    std::ranges::transform(shouted, shouted.begin(),
                           [](unsigned char c) { return std::toupper(c); });
    if (std::ranges::find(names, shouted) != names.end()) renames[shouted] = {want.name};
  }
  return renames;
}

}  // namespace

WeightRename shouted_weight_rename() { return {.name = "capital letters", .rename = rename}; }

}  // namespace convoy
