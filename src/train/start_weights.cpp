#include "train/start_weights.h"

#include "train/weights_metadata.h"

namespace convoy {

ClassNames start_classes(const RunConfig& config) {
  if (config.init_from.empty()) return {};
  const WeightFile file = WeightFile::read(config.init_from);
  return told_class_names(file.metadata(), file.origin());
}

WeightReport load_start(const RunSetup& setup, State& state) {
  const RunConfig& config = setup.config;
  const WeightFile file = WeightFile::read(config.init_from);
  const ClassNames names = told_class_names(file.metadata(), file.origin());
  const bool others = !names.empty() && !same_names(names, setup.train_set->class_names());
  return load_weights(file, find_model(config.model), state,
                      others ? HeadPolicy::is_new : HeadPolicy::may_be_new);
}

}  // namespace convoy
