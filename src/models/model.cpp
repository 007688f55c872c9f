#include "models/model.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

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
  field("stem-channels", stem_channels,
        "channels of the first convolution; the image is filled up with zeros. 0: the image's",
        between(0, 64));
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

void check_options(const ModelDef& family, const ModelOptions& options) {
  const ModelOptions usual;
  const auto check = [&](std::string_view name, bool changed) {
    if (!changed || std::ranges::find(family.takes, name) != family.takes.end()) return;
    raise(Fault::usage, "--{} has no meaning for models of the family {}; try: without it", name,
          family.family);
  };
  check("zero-init-residual", options.zero_init_residual != usual.zero_init_residual);
  check("norm", options.norm != usual.norm);
  check("norm-groups", options.norm_groups != usual.norm_groups);
  check("dropout-rate", options.dropout_rate >= 0);
  check("block-survival-prob", options.block_survival_prob >= 0);
  check("stem-channels", options.stem_channels != usual.stem_channels);
}

}  // namespace convoy
