#include "data/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace convoy {
namespace {

std::string names_of(bool normalisers, std::string_view separator) {
  std::vector<std::string> names;
  for (const AugmentDef& def : augment_catalog()) {
    if (def.normaliser == normalisers) names.emplace_back(def.name);
  }
  return join(names, separator);
}

std::vector<std::string> normaliser_choices() {
  std::vector<std::string> choices = split(names_of(true, ","), ',');
  choices.emplace_back("none");
  return choices;
}

std::string dataset_names() {
  std::vector<std::string> names;
  for (const DatasetDef& def : dataset_catalog()) names.emplace_back(def.name);
  return join(names, ", ");
}

}  // namespace

void DataOptions::describe(Fields& field, bool training) {
  field.section("data");
  field("dataset", dataset,
        dataset_names() + "; without it, what the name of --data-dir says, or fashion-mnist");
  field("data-dir", data_dir,
        "folder of the dataset's files; default: the dataset's own, or $DATA_DIR", {},
        {"data-path"});
  field("generated-image-size", generated_image_size,
        "height and width of generated images; 0: the model's own", between(0, 4096),
        has_image_size ? std::vector<std::string>{"image-size"} : std::vector<std::string>{});
  field("generated-channels", generated_channels,
        "channels of generated images; 0: the model's own", between(0, 64));
  field("generated-classes", generated_classes,
        "classes of generated data; 0: as the model's usual ones", between(0, 1000000));
  field("generated-samples", generated_samples,
        "training images of generated data; the test set has a fifth of it", between(1, 1e12));
  field("normalise", normalise, "what brings pixels to the network's scale; none leaves 0..255",
        one_of(normaliser_choices()), {"normalize"});
  field("mean", mean, "of the pixels in 0..1, one or one per channel; default: the dataset's",
        between(-1000, 1000));
  field("std", std, "of the pixels in 0..1, one or one per channel; default: the dataset's",
        between(1e-6, 1000));
  field("workers", workers, "threads that make batches; 0: one for every four cores",
        between(0, 1024));
  field("prefetch", prefetch, "batches made ahead of the one in use", between(1, 1024));
  if (training) {
    field("augment", augment,
          "list of " + names_of(false, ", ") +
              " in the order of use, or none; default: the dataset's");
    field("crop-padding", crop_padding, "pixels that pad-crop pads on each side", between(0, 4096));
    field("epoch-tail", epoch_tail,
          "when the batch does not divide the dataset: carry on into the next epoch, drop the "
          "rest, or "
          "one short step",
          one_of({"carry", "drop", "short"}));
  }
  refuse_idle(field);
}

void DataOptions::refuse_idle(const Fields& field) const {
  const auto refuse = [&](std::initializer_list<std::string_view> keys, std::string_view with) {
    for (const std::string_view key : keys) {
      if (field.given(key))
        raise(Fault::usage, "{} does nothing without {}; try: without it", key, with);
    }
  };
  if (dataset_name() != "generated") {
    refuse({"generated-image-size", "generated-channels", "generated-classes", "generated-samples"},
           "dataset generated");
  }
  if (field.given("data-dir") && !def().has_files) {
    raise(Fault::usage, "data-dir does nothing with dataset {}; try: without it", dataset_name());
  }
  if (normalise != "mean-std") refuse({"mean", "std"}, "normalise mean-std");
  if (field.given("crop-padding")) {
    const std::vector<std::string> names = training_augment();
    if (std::find(names.begin(), names.end(), "pad-crop") == names.end()) {
      refuse({"crop-padding"}, "pad-crop in augment");
    }
  }
}

void DataOptions::suit(int image_size, int channels, int classes) {
  if (!generated_image_size) generated_image_size = image_size;
  if (!generated_channels) generated_channels = channels;
  if (!generated_classes) generated_classes = classes;
}

std::string DataOptions::dataset_name() const {
  if (!dataset.empty()) return dataset;
  return data_dir.empty() ? "fashion-mnist" : infer_dataset(data_dir);
}

std::unique_ptr<Dataset> DataOptions::open(bool train, uint64_t seed) const {
  return open_dataset(dataset_name(),
                      {.data_dir = data_dir,
                       .train = train,
                       .image = {generated_channels, generated_image_size, generated_image_size},
                       .classes = generated_classes,
                       .samples = train ? generated_samples : divide_up(generated_samples, 5),
                       .seed = seed});
}

std::vector<std::string> DataOptions::training_augment() const {
  if (augment.empty()) return def().augment;
  if (augment.size() == 1 && augment[0] == "none") return {};
  for (const std::string& name : augment) {
    const auto is_normaliser = [&](const AugmentDef& a) { return a.name == name && a.normaliser; };
    if (std::any_of(augment_catalog().begin(), augment_catalog().end(), is_normaliser)) {
      raise(Fault::usage, "{} is no entry of augment; try: normalise {}", name, name);
    }
    if (name == "none") {
      raise(Fault::usage, "none stands among other entries of augment; try: --augment none");
    }
  }
  return augment;
}

AugmentChain DataOptions::chain(const Shape& image, bool train) const {
  const AugmentOptions options{.crop_padding = crop_padding,
                               .mean = mean.empty() ? def().mean : mean,
                               .std = std.empty() ? def().std : std};
  std::vector<std::string> names = train ? training_augment() : std::vector<std::string>{};
  if (normalise != "none") names.push_back(normalise);
  return AugmentChain(names, options, image);
}

std::vector<std::pair<std::string, std::string>> DataOptions::preprocessing() const {
  std::vector<std::pair<std::string, std::string>> all{{"dataset", dataset_name()},
                                                       {"normalise", normalise}};
  if (normalise == "mean-std") {
    all.emplace_back("mean", fmt::format("{}", fmt::join(mean.empty() ? def().mean : mean, ",")));
    all.emplace_back("std", fmt::format("{}", fmt::join(std.empty() ? def().std : std, ",")));
  }
  if (dataset_name() == "generated") {
    all.emplace_back("generated-image-size", std::to_string(generated_image_size));
    all.emplace_back("generated-channels", std::to_string(generated_channels));
    all.emplace_back("generated-classes", std::to_string(generated_classes));
    all.emplace_back("generated-samples", std::to_string(generated_samples));
  }
  return all;
}

}  // namespace convoy
