#include "models/model.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "config/value.h"

namespace convoy {

void ModelOptions::describe(Fields& field) {
  describe_architecture(field);
  field("zero-init-residual", zero_init_residual,
        "the last batch norm of each residual block starts with gamma 0: it begins as the identity",
        {}, {"zero-gamma"});
  field("dropout-rate", dropout_rate,
        "share of the features that are left out before the head; -1: the model's own",
        between(-1, 0.99), {"dropout"});
  field("block-survival-prob", block_survival_prob,
        "how often the last residual block of a stochastic-depth net is kept, the others more "
        "often; 1: always; -1: the model's own",
        between(-1, 1));
}

void ModelOptions::describe_architecture(Fields& field) {
  field("norm", norm, "batch or group norm instead of the model's own",
        one_of({"auto", "batch", "group"}));
  field("norm-groups", norm_groups, "groups of group norm; 0: the model's own", at_least(0),
        {"groups"});
  field("norm-epsilon", norm_epsilon, "added to variances; 0: the model's own", between(0, 1));
  field("stem-channels", stem_channels,
        "channels of the first convolution; the image is filled up with zeros. 0: the image's",
        between(0, 64));
  field("expand-ratio", expand_ratio,
        "how much wider an inverted bottleneck is inside; 0: the model's own", between(0, 64));
  field("group-dim", group_dim,
        "channels in each group of an inverted bottleneck's convolution; 1: depthwise; 0: the "
        "model's own",
        between(0, 1024));
  field("se", se, "gates for channels (squeeze and excitation) in inverted bottlenecks");
  field("use-relu", use_relu, "ReLU where the model has swish");
}

ModelOptions::Changed ModelOptions::changed_architecture() const {
  const ModelOptions usual;
  Changed all;
  const auto add = [&](std::string_view name, const auto& value, const auto& of_usual) {
    if (value != of_usual) all.emplace_back(name, format_value(value));
  };
  add("norm", norm, usual.norm);
  add("norm-groups", norm_groups, usual.norm_groups);
  add("norm-epsilon", norm_epsilon, usual.norm_epsilon);
  add("stem-channels", stem_channels, usual.stem_channels);
  add("expand-ratio", expand_ratio, usual.expand_ratio);
  add("group-dim", group_dim, usual.group_dim);
  add("se", se, usual.se);
  add("use-relu", use_relu, usual.use_relu);
  return all;
}

ModelOptions::Changed ModelOptions::changed() const {
  Changed all = changed_architecture();
  if (zero_init_residual) all.emplace_back("zero-init-residual", format_value(zero_init_residual));
  if (dropout_rate >= 0) all.emplace_back("dropout-rate", format_value(dropout_rate));
  if (block_survival_prob >= 0)
    all.emplace_back("block-survival-prob", format_value(block_survival_prob));
  return all;
}

FoundModel find_model(std::string_view name) {
  std::vector<std::string> names;
  for (const ModelDef& family : model_catalog()) {
    for (const Variant& variant : family.variants) {
      if (variant.name == name) return {family, variant};
      names.push_back(variant.name);
    }
  }
  const std::string near = nearest(name, names);
  raise(Fault::usage, "unknown model '{}'; {}", name,
        near.empty() ? "try: convoy list models" : "did you mean '" + near + "'?");
}

bool has_batch_norm(const FoundModel& model, const ModelOptions& options) {
  Graph graph;
  Builder b(graph, false);
  const int64_t size = model.image_size();
  const Value image = b.input("image", {{1, model.family.channels, size, size}});
  const Value key = b.input("key", {{1}, DType::s64});
  model.variant.build(b, {image, key, model.classes(), options});
  return !graph.stats.empty();
}

void check_options(const ModelDef& family, const ModelOptions& options) {
  for (const auto& [name, value] : options.changed()) {
    if (std::ranges::find(family.takes, name) != family.takes.end()) continue;
    raise(Fault::usage, "--{} has no meaning for models of the family {}; try: without it", name,
          family.family);
  }
}

}  // namespace convoy
