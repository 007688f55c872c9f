// Tables of Graphcore's models: their names here, and what their options are without being given.

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text/text.h"
#include "config/value.h"
#include "dialects/graphcore_plan.h"
#include "models/model.h"

namespace convoy {
namespace {

struct Row {
  std::string_view model;
  bool is_cifar;
  std::string_view size;
  int batch;
  double epochs, weight_decay;
  double sgd, momentum, rmsprop;  // exponents; 0: none
};
constexpr std::array rows{
    Row{"resnet", false, "18", 4, 100, 1e-4, -8, -11, 0},
    Row{"resnet", true, "20", 32, 160, 1e-6, -6, -6, -6},
    Row{"resnext", false, "14", 1, 100, 1e-4, -8, -11, 0},
    Row{"resnext", true, "11", 8, 160, 1e-6, -6, -6, -6},
    Row{"efficientnet", false, "B0", 4, 350, 1e-5, -7, -10, -14},
    Row{"efficientnet", true, "CIFAR", 8, 300, 1e-6, -6, -6, -6},
};

const Row& row_of(const GraphcoreCase& which) {
  const auto found = std::ranges::find_if(rows, [&](const Row& row) {
    return row.model == which.model && row.is_cifar == which.is_cifar();
  });
  expect(found != rows.end(), "a model of Graphcore's without defaults");
  return *found;
}

bool has_model(const std::string& name) {
  return std::ranges::any_of(model_catalog(), [&](const ModelDef& family) {
    return std::ranges::find(family.variants, name, &Variant::name) != family.variants.end();
  });
}

// How the sizes of a family are named here; the first that exists is taken.
std::vector<std::string> patterns(const GraphcoreCase& which, bool wide) {
  if (which.model == "efficientnet") return {"graphcore_efficientnet_{}"};
  if (!which.is_cifar()) return {"graphcore_" + which.model + "{}"};
  if (which.model == "resnext") return {wide ? "cifar_resnext{}_wide" : "cifar_resnext{}"};
  if (wide) return {"cifar_resnet{}_bottleneck_wide"};
  return {"graphcore_cifar_resnet{}", "cifar_resnet{}_bottleneck"};
}

std::string filled(std::string pattern, const std::string& size) {
  return pattern.replace(pattern.find("{}"), 2, size);
}

}  // namespace

GraphcoreDefaults graphcore_defaults(const GraphcoreCase& which) {
  const Row& row = row_of(which);
  GraphcoreDefaults all{.size = std::string(row.size),
                        .batch = row.batch,
                        .epochs = row.epochs,
                        .weight_decay = row.weight_decay,
                        .drops = row.is_cifar ? "0.5,0.75" : "0.3,0.6,0.8,0.9"};
  if (which.optimiser == "SGD") all.exponent = row.sgd;
  if (which.optimiser == "momentum") all.exponent = row.momentum;
  if (which.optimiser == "RMSprop") all.exponent = row.rmsprop;
  if (which.optimiser == "LARS" && row.is_cifar) all.exponent = row.sgd;
  return all;
}

std::string graphcore_model(const DialectPlan& plan, const GraphcoreCase& which,
                            const std::string& typed) {
  std::string size = small_letters(typed);
  if (which.model == "efficientnet") {
    if (which.is_cifar()) {
      if (size == "cifar") return "cifar_efficientnet";
      plan.refuse("model-size", "for CIFAR there is one size; try: --model-size CIFAR");
    }
    if (is_number(size)) size = "b" + size;
  }
  const std::vector<std::string> names = patterns(which, plan.on("widenet"));
  for (const std::string& pattern : names) {
    if (has_model(filled(pattern, size))) return filled(pattern, size);
  }
  std::vector<std::string> sizes;
  for (const ModelDef& family : model_catalog()) {
    for (const Variant& variant : family.variants) {
      for (const std::string& pattern : names) {
        const std::string head = pattern.substr(0, pattern.find("{}"));
        const std::string tail = pattern.substr(pattern.find("{}") + 2);
        if (!variant.name.starts_with(head) || !variant.name.ends_with(tail)) continue;
        const std::string middle =
            variant.name.substr(head.size(), variant.name.size() - head.size() - tail.size());
        if (is_number(middle) || (middle.size() == 2 && middle[0] == 'b')) sizes.push_back(middle);
      }
    }
  }
  plan.refuse("model-size", fmt::format("{} has no such size on {}; try: {}", which.model,
                                        which.dataset, join(sizes, ", ")));
}

}  // namespace convoy
