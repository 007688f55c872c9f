#include "app/network/class_names.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"
#include "data/classes/imagenet_classes.h"
#include "train/checkpoint/weights_metadata.h"

namespace convoy {
namespace {

// ImageNet's classes, after the classes that --label-offset inserts in front.
ClassNames imagenet_classes(int label_offset) {
  ClassNames names(static_cast<size_t>(label_offset), "background");
  names.insert(names.end(), imagenet_synsets().begin(), imagenet_synsets().end());
  return names;
}

}  // namespace

int class_count(const InferenceOptions& options, const FoundModel& model, const ClassNames& names,
                const Dataset* data) {
  if (options.num_classes) return options.num_classes;
  if (!names.empty()) return static_cast<int>(names.size());
  return data ? data->classes() : model.classes();
}

ClassNames network_classes(const InferenceOptions& options, const OpenedModel& opened,
                           const ClassNames& of_data) {
  if (!options.class_names.empty()) {
    ClassNames names = read_class_names(options.class_names);
    const auto count = static_cast<int>(names.size());
    if (options.num_classes && count != options.num_classes) {
      raise(Fault::usage,
            "--class-names {} has {} name{}, and the network {} classes; try: one name a line, in "
            "the order of its outputs",
            options.class_names, count, count == 1 ? "" : "s", options.num_classes);
    }
    return names;
  }
  ClassNames told = told_class_names(opened.file.metadata(), opened.file.origin());
  if (!told.empty()) return told;
  const ClassNames imagenet = imagenet_classes(options.data.label_offset);
  const int count = class_count(options, opened.model);
  const auto usual = static_cast<int>(imagenet_synsets().size());
  if (count != usual && count != usual + 1) return {};
  const bool fits = of_data.empty() ? options.data.dataset_name() == "imagenet"
                                    : std::ranges::any_of(of_data, [](const std::string& name) {
                                        return !imagenet_name(name).empty();
                                      });
  return fits ? imagenet : ClassNames{};
}

std::unique_ptr<Dataset> open_matched(const InferenceOptions& options, const OpenedModel& opened,
                                      bool train) {
  const WeightFile& file = opened.file;
  std::unique_ptr<Dataset> data = options.data.open(train, options.seed);
  check_samples(opened.model, *data);
  const ClassNames own = data->class_names();
  const ClassNames names = network_classes(options, opened, own);
  const ClassMap map = options.class_map.empty() ? ClassMap{} : read_class_map(options.class_map);
  if (!names.empty()) return with_classes(std::move(data), names, map, "the weights");
  if (!map.empty()) {
    raise(Fault::usage,
          "--class-map needs names on both sides, and {} names no classes; try: "
          "--class-names FILE too",
          file.origin());
  }
  // In record files, numeric class names are labels and already final.
  const bool by_order = options.data.def().has_pictures && !std::ranges::all_of(own, is_number);
  if (by_order && options.num_classes && options.num_classes != data->classes()) {
    raise(Fault::data,
          "{} does not name its {} classes and the data has {}, so they cannot be matched; "
          "try: --class-names FILE, one name a line in the order of the network's outputs",
          file.origin(), options.num_classes, data->classes());
  }
  return data;
}

}  // namespace convoy
