#include "models/model.h"

#include "base/error.h"
#include "base/text.h"

namespace convoy {

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

}  // namespace convoy
