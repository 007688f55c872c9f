#include "models/model.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"

namespace convoy {

void ModelOptions::describe(Fields& field) {
  describe_architecture(field);
  for (const ModelDef& family : model_catalog()) OptionTexts::describe(field, family.describe);
}

void ModelOptions::describe_architecture(Fields& field) {
  field.evaluation_only(true);
  for (const ModelDef& family : model_catalog()) OptionTexts::describe(field, family.describe);
  field.evaluation_only(false);
}

ToldOptions ModelOptions::changed_architecture() const {
  ModelOptions architecture;
  Fields field(changed());
  architecture.describe_architecture(field);
  ToldOptions told;
  for (const auto& [key, value] : architecture.changed()) told.emplace_back(key, value.text);
  return told;
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

bool takes(const ModelDef& family, std::string_view option) {
  const std::vector<std::string> keys = option_keys(family.describe);
  return std::ranges::find(keys, option) != keys.end();
}

void check_options(const ModelDef& family, const ModelOptions& options) {
  for (const auto& [key, value] : options.changed()) {
    if (takes(family, key)) continue;
    raise(Fault::usage, "--{} has no meaning for models of the family {}; try: without it", key,
          family.family);
  }
}

}  // namespace convoy
