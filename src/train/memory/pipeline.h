// --pipeline: the stages of a network. On one device they run one after another, micro-batch by
// micro-batch, and their boundaries are the points between which activations are computed again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/words.h"
#include "compile/split_points.h"
#include "config/fields.h"

namespace convoy {

enum class PipelineSchedule { interleaved, grouped, sequential };
constexpr auto words_of(PipelineSchedule) {
  return words<PipelineSchedule>("Interleaved", "Grouped", "Sequential");
}

struct Pipeline {
  bool on = false;
  int shards = 1;
  std::vector<std::string> splits;  // as typed
  PipelineSchedule schedule = PipelineSchedule::interleaved;

  // Refuses what one process cannot do. `recomputes`: --recompute blocks, without which splits
  // have no effect.
  void describe(Fields& field, bool recomputes);

  // The blocks after which the splits are. A usage error: an unknown name, one inside a block, or
  // another order than that of the network; it names the nearest valid one.
  std::vector<std::string> blocks(const std::vector<SplitPoint>& points) const;
};

// The name that Graphcore's programs give to a block of a network: b1/2/relu for layer1.2, block2b
// for features.2.1; other blocks have their own names.
std::string split_name(std::string_view block);

}  // namespace convoy
