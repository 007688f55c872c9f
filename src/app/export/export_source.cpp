#include "app/export/export_source.h"

#include <cstring>

#include "app/network/class_names.h"
#include "base/error.h"
#include "train/checkpoint/tensors.h"
#include "train/checkpoint/weights_metadata.h"
#include "version.h"

namespace convoy {
namespace {

constexpr std::string_view count_suffix = ".num_batches_tracked";

// The value of num_batches_tracked; 0 if the file has none.
int64_t updates_in(const WeightFile& file) {
  for (const TensorEntry& t : file.tensors()) {
    if (!t.name.ends_with(count_suffix) || t.dtype != DType::s64 || t.shape.count() != 1) continue;
    int64_t updates;
    std::memcpy(&updates, t.data.data(), sizeof updates);
    return updates;
  }
  return 0;
}

}  // namespace

ExportSource::ExportSource(const InferenceOptions& options, const OpenedModel& opened,
                           int64_t image_size)
    : options_(options),
      opened_(opened),
      has_dataset_(opened.settings.contains("dataset") || opened.settings.contains("data-dir")),
      updates_(updates_in(opened.file)) {
  const FoundModel& model = opened.model;
  image_ = model.image();
  if (const auto told = told_image(opened.file.metadata(), opened.file.origin())) {
    image_ = *told;
  } else if (names_data()) {
    image_ = dataset().image_shape();
  }
  if (image_size) image_ = {image_[0], image_size, image_size};
  const bool asks_data = has_dataset_ && options.num_classes == 0;  // else it need not open
  classes_ = class_count(options, model, {}, asks_data ? &dataset() : nullptr);
  const StateLayout layout = lay_out_state(graph(1));
  state_ = std::make_unique<State>(layout, 0, false);
  load_weights(opened.file, model, *state_, HeadPolicy::must_fit, options.model_options);
  tensors_ = model_tensors(layout, state_->params(), state_->stats());
}

Graph ExportSource::graph(int64_t batch, bool probabilities) const {
  Graph graph =
      used_graph({.model = opened_.model, .classes = classes_, .options = options_.model_options},
                 image_, batch);
  if (probabilities) add_probabilities(graph);
  return graph;
}

const Dataset& ExportSource::dataset() {
  if (!dataset_) dataset_ = options_.data.open(false, options_.seed);
  return *dataset_;
}

bool ExportSource::opens() {
  try {
    dataset();
    return true;
  } catch (const Error&) {
    if (names_data()) throw;  // the user named the data, so it must open
    return false;
  }
}

bool ExportSource::names_data() const {
  const auto is_typed = [&](const char* key) {
    const auto found = opened_.settings.find(key);
    return found != opened_.settings.end() && found->second.origin == "command line";
  };
  return is_typed("data-dir") || is_typed("dataset");
}

GraphRun::Weights ExportSource::weights() const {
  return [this](const std::string& name) -> std::span<const float> {
    for (const TensorEntry& t : tensors_) {
      if (t.name == name) {
        return {reinterpret_cast<const float*>(t.data.data()), t.data.size() / sizeof(float)};
      }
    }
    raise(Fault::bug, "the network has no {}", name);
  };
}

std::vector<TensorEntry> ExportSource::all_tensors() const {
  return with_batch_counts(tensors_, updates_);
}

Metadata ExportSource::metadata() const {
  Metadata about = opened_.file.metadata();
  about.erase("format");
  about.emplace("convoy.version", version);
  about[weights_key::image] = to_string(image_);
  const auto option = [&](const std::string& key, const std::string& value) {
    about[weights_key::option + key] = value;
  };
  option("model", opened_.model.variant.name);
  option("num-classes", std::to_string(classes_));
  for (const auto& [key, value] : options_.model_options.changed_architecture()) {
    option(std::string(key), value);
  }
  if (has_dataset_) {
    for (const auto& [key, value] : options_.data.preprocessing()) option(key, value);
  }
  return about;
}

ExportSource::Pictures ExportSource::pictures(int64_t wanted) {
  if (has_dataset_ && opens() && dataset().image_shape() == image_) {
    const auto chain = std::make_shared<AugmentChain>(options_.data.chain(image_, false));
    const auto scratch = std::make_shared<Arena>(chain->scratch_bytes());
    const auto data = dataset_;
    const auto read = std::make_shared<Arena>(stored_bytes(data->image()));
    return {options_.data.dataset_name(), std::min(wanted, data->size()),
            [=](int64_t i, float* image) {
              Sample sample;
              sample.begin(read->data(), data->image_type());
              data->read(i, 0, sample);
              chain->run(sample, image, 0, scratch->data());
            }};
  }
  return {"noise", wanted, noise_images(image_.count())};
}

}  // namespace convoy
