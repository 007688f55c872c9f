#include "train/checkpoint/start_weights.h"

#include "base/error.h"
#include "train/checkpoint/weights_metadata.h"

namespace convoy {

fs::path start_file(const fs::path& given) {
  std::error_code ignored;
  const auto has = [&](const char* name) { return fs::exists(given / name, ignored); };
  if (!fs::is_directory(given, ignored)) return given;
  if (has("state.json")) return given / "model.safetensors";
  for (const char* name : {"weights/best.safetensors", "weights/last.safetensors"}) {
    if (has(name)) return given / name;
  }
  if (has("checkpoints/last/state.json")) return start_file(given / "checkpoints/last");
  if (has("args.yml")) {
    raise(Fault::checkpoint, "the run {} has no weights yet; try: convoy resume {}", given.string(),
          given.string());
  }
  return given;  // it may be a TensorFlow checkpoint
}

ClassNames start_classes(const RunConfig& config) {
  if (config.init_from.empty()) return {};
  const WeightFile file = open_weights(start_file(config.init_from));
  return told_class_names(file.metadata(), file.origin());
}

WeightReport load_start(const RunSetup& setup, State& state) {
  const RunConfig& config = setup.config;
  const WeightFile file = open_weights(start_file(config.init_from));
  const ClassNames names = told_class_names(file.metadata(), file.origin());
  const bool others = !names.empty() && !same_names(names, setup.train_set->class_names());
  return load_weights(file, find_model(config.model), state,
                      others ? HeadPolicy::is_new : HeadPolicy::may_be_new, config.model_options);
}

}  // namespace convoy
