// Which forward values a training step keeps for its backward pass, and which it makes again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text/words.h"

namespace convoy {

enum class Recompute : uint8_t {
  off,        // all are kept
  cheap,      // norms, activations and the like are made again where that saves memory
  blocks,     // the least memory: between some values that are kept, everything is made again
  automatic,  // the least time with which the workspace is at most `most_bytes`
};
constexpr auto words_of(Recompute) { return words<Recompute>("off", "cheap", "blocks", "auto"); }

struct RecomputeRule {
  Recompute mode = Recompute::off;
  int64_t most_bytes = 0;  // for `automatic`
  // With `blocks`: everything is made again between these blocks' ends (compile/split_points.h), in
  // their order. Empty: the ends are chosen for the least memory.
  std::vector<std::string> points = {};
};

}  // namespace convoy
