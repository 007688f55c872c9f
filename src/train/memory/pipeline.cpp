#include "train/memory/pipeline.h"

#include <fmt/core.h>

#include <algorithm>
#include <regex>

#include "base/error.h"
#include "base/text/text.h"

namespace convoy {

void Pipeline::describe(Fields& field, bool recomputes) {
  field("pipeline", on,
        "run the network in stages (see --pipeline-splits). The stages are in one process, one "
        "after another",
        any_value().no_result());
  field("shards", shards, "processes of a pipeline; only 1 so far", at_least(1).no_result());
  field("pipeline-splits", splits,
        "with --pipeline and --recompute blocks: the blocks after which a new stage begins, such "
        "as b1/2/relu or layer1.2 for the third block of the first stage of a ResNet, block2b or "
        "features.2.1 of an EfficientNet; `convoy plan --pipeline` lists them. Activations are "
        "kept where a stage begins, and the others are computed again. Changes no result",
        any_value().no_result());
  field("pipeline-schedule", schedule,
        "in which order stages run: one process runs them Sequential, each micro-batch through "
        "all stages before the next",
        any_value().no_result());
  for (const char* key : {"pipeline-splits", "pipeline-schedule"}) {
    field.needs(key, on, "--pipeline", {"pipeline"});
  }
  field.needs("pipeline-splits", recomputes, "--recompute blocks", {"recompute"});
  if (shards > 1) {
    raise(Fault::usage,
          "--shards {}: the stages of a pipeline are in one process; try: --shards 1 --pipeline "
          "--pipeline-schedule Sequential --recompute blocks, or convoy launch with --replicas",
          shards);
  }
  if (on && schedule != PipelineSchedule::sequential) {
    raise(Fault::usage,
          "--pipeline-schedule {} needs several processes, and the stages of a pipeline are in "
          "one; try: --pipeline-schedule Sequential",
          word_of(schedule));
  }
}

std::string split_name(std::string_view block) {
  static const std::regex layer("layer([0-9]+)\\.([0-9]+)"),
      features("features\\.([0-9]+)\\.([0-9]+)");
  const std::string text(block);
  std::smatch parts;
  if (std::regex_match(text, parts, layer)) {
    return fmt::format("b{}/{}/relu", parts[1].str(), parts[2].str());
  }
  if (std::regex_match(text, parts, features) && parts[2].length() == 1) {
    return fmt::format("block{}{}", parts[1].str(), static_cast<char>('a' + *parts[2].first - '0'));
  }
  return text;
}

std::vector<std::string> Pipeline::blocks(const std::vector<SplitPoint>& points) const {
  std::vector<std::string> found, names;
  for (const SplitPoint& point : points) names.push_back(split_name(point.block));
  auto after = points.begin();
  for (const std::string& split : splits) {
    const auto is_it = [&](const SplitPoint& point) {
      return point.block == split || split_name(point.block) == split;
    };
    const auto at = std::ranges::find_if(points, is_it);
    if (at == points.end()) {
      const std::string near = nearest(split, names);
      raise(Fault::usage, "--pipeline-splits {}: the network cannot be split there; try: {}", split,
            near.empty() ? join(names, ", ") : near);
    }
    if (at < after) {
      raise(Fault::usage,
            "--pipeline-splits {} is not after {}, as it is in the network; try: {} before it",
            split, split_name(found.back()), split);
    }
    after = at + 1;
    found.push_back(at->block);
  }
  return found;
}

}  // namespace convoy
