// What the options of Graphcore's CNN training are in Convoy.
#pragma once

#include "dialects/dialect_plan.h"

namespace convoy {

void plan_graphcore_train(DialectPlan& plan);
void plan_graphcore_validation(DialectPlan& plan);

// Fills in the options of --config, from --config-path or from Graphcore's own file.
void fill_graphcore_config(DialectPlan& plan);

// The defaults that depend on model, dataset and optimiser.
struct GraphcoreDefaults {
  std::string size;
  int batch = 4;
  double epochs = 100, weight_decay = 1e-4;
  double exponent = 0;  // of the learning rate; 0: none, it must be given
  std::string drops;    // of the stepped schedule
};
struct GraphcoreCase {
  std::string model, dataset, optimiser;  // as there
  bool is_cifar() const { return dataset != "imagenet"; }
};
GraphcoreDefaults graphcore_defaults(const GraphcoreCase& which);

// Convoy's model; a size that the family does not have is a usage error that lists those it has.
std::string graphcore_model(const DialectPlan& plan, const GraphcoreCase& which,
                            const std::string& size);

}  // namespace convoy
