// What options of data refuse beside one another, and what they make of images: the augmentations
// of training, and what evaluation must know.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/options.h"
#include "data/view_maker.h"

namespace convoy {
namespace {

// The entry of the catalogue that `is_it` holds for; null: none.
template <class Test>
const AugmentDef* find_entry(Test is_it) {
  const auto found = std::find_if(augment_catalog().begin(), augment_catalog().end(), is_it);
  return found == augment_catalog().end() ? nullptr : &*found;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_policy(const std::vector<std::string>& names) {
  return find_entry(
      [&](const AugmentDef& def) { return !def.policy.empty() && contains(names, def.name); });
}

}  // namespace

void DataOptions::refuse_idle(Fields& field) const {
  using Keys = std::initializer_list<std::string_view>;
  const auto refuse = [&](Keys keys, std::string_view with, Keys choosers) {
    for (const std::string_view key : keys) field.needs(key, false, with, choosers);
  };
  // --help has no dataset, nor does it need that DATA_DIR tells which.
  const auto is_given = [](const Field& one) { return !one.value.is_default(); };
  if (std::ranges::none_of(field.all(), is_given)) return;
  if (dataset_name() != "generated") {
    refuse({"generated-channels", "generated-classes", "generated-samples"}, "dataset generated",
           {"dataset"});
    if (!def().has_pictures) {
      refuse({"image-size", "generated-image-size"}, "pictures or generated data", {"dataset"});
    }
  }
  if (!def().has_pictures) {
    refuse({"eval-crop", "channel-order", "eval-resize", "interpolation", "decode", "exif-turn",
            "label-offset", "dataset-cache", "max-bad", "crop", "crop-area", "crop-ratio",
            "picture-channels"},
           "a dataset of pictures", {"dataset"});
  }
  field.needs("val-share", dataset_name() == "imagefolder", "dataset imagefolder", {"dataset"});
  if (picture_channels == 2) {
    raise(Fault::usage, "pictures have no 2 channels; try: --picture-channels 1 for grey");
  }
  if (picture_channels == 1) refuse({"channel-order"}, "colours", {"picture-channels"});
  for (const auto& [key, values] :
       {std::pair{"crop-area", crop_area}, {"crop-ratio", crop_ratio}}) {
    if (!field.given(key)) continue;
    if (!find_view(crop).is_random) refuse({key}, "a random crop", {"crop"});
    if (values.size() != 2 || values[0] > values[1]) {
      raise(Fault::usage, "{} takes a smallest and a largest value; try: --{} 0.5,1", key, key);
    }
  }
  if (field.given("data-dir") && !def().has_files) {
    raise(Fault::usage, "data-dir does nothing with dataset {}; try: without it", dataset_name());
  }
  if (normalise != "mean-std") refuse({"mean", "std"}, "normalise mean-std", {"normalise"});
  if (eight_bit_io && hostside_norm) {
    raise(Fault::usage,
          "eight-bit-io leaves normalisation to the network, hostside-norm to the loader; try: one "
          "of them");
  }
  if (!eight_bit_io && !hostside_norm && field.given("hostside-norm")) {
    raise(Fault::usage,
          "hostside-norm false lets the network normalise, which takes bytes; try: --eight-bit-io");
  }
  field.needs("normalise-first", normalise != "none" && !training_augment().empty(),
              "a normalisation and augmentations", {"normalise", "augment"});
  if (!ra_sampler) refuse({"ra-reps"}, "ra-sampler", {"ra-sampler"});
  const std::vector<std::string> names = training_augment();
  const Keys policies{"auto-augment", "augment"};
  if (!contains(names, "pad-crop"))
    refuse({"crop-padding"}, "pad-crop in augment", {"augment", "dataset"});
  if (!contains(names, "rand-augment")) refuse({"ra-magnitude"}, "auto-augment ra", policies);
  if (!contains(names, "augmix")) refuse({"augmix-severity"}, "auto-augment augmix", policies);
  if (!has_policy(names))
    refuse({"policy-interpolation"}, "a policy, as of auto-augment", policies);
}

// The dataset's own numbers are those of red, green and blue; typed ones are in the order of the
// image's channels. Grey is a sum of colours, of which it has the mean; and nearly the deviation,
// since colours of photographs rise and fall together.
std::vector<double> DataOptions::for_channels(const std::vector<double>& of_rgb) const {
  if (of_rgb.size() != 3) return of_rgb;
  if (def().has_pictures && picture_channels == 1) {
    const double grey = 0.299 * of_rgb[0] + 0.587 * of_rgb[1] + 0.114 * of_rgb[2];
    return {std::round(grey * 1000) / 1000};
  }
  if (channel_order == "bgr") return {of_rgb[2], of_rgb[1], of_rgb[0]};
  return of_rgb;
}

std::vector<std::string> DataOptions::listed_augment() const {
  if (augment.empty()) return def().augment;
  if (augment.size() == 1 && augment[0] == "none") return {};
  for (const std::string& name : augment) {
    if (find_entry([&](const AugmentDef& a) { return a.name == name && a.normaliser; })) {
      raise(Fault::usage, "{} is no entry of augment; try: normalise {}", name, name);
    }
    if (name == "none") {
      raise(Fault::usage, "none stands among other entries of augment; try: --augment none");
    }
  }
  return augment;
}

std::vector<std::string> DataOptions::training_augment() const {
  std::vector<std::string> names = listed_augment();
  const auto add = [&](const char* name) {
    if (!contains(names, name)) names.emplace_back(name);
  };
  if (std::any_of(color_jitter.begin(), color_jitter.end(), [](double s) { return s > 0; })) {
    add("color-jitter");
  }
  if (auto_augment != "none") {
    if (has_policy(names)) {
      raise(Fault::usage, "a policy in augment and auto-augment {} besides; try: one of them",
            auto_augment);
    }
    names.emplace_back(
        find_entry([&](const AugmentDef& a) { return a.policy == auto_augment; })->name);
  }
  if (random_erase > 0) add("random-erase");
  return names;
}

AugmentChain DataOptions::chain(const Shape& image, bool train) const {
  const AugmentOptions options{.crop_padding = crop_padding,
                               .mean = mean.empty() ? for_channels(def().mean) : mean,
                               .std = std.empty() ? for_channels(def().std) : std,
                               .bgr = channel_order == "bgr",
                               .policy_bilinear = policy_interpolation == "bilinear",
                               .ra_magnitude = ra_magnitude,
                               .augmix_severity = augmix_severity,
                               .color_jitter = color_jitter,
                               .random_erase = random_erase};
  std::vector<std::string> names = train ? training_augment() : std::vector<std::string>{};
  const auto normalised =
      std::stable_partition(names.begin(), names.end(), [](const std::string& name) {
        return !find_entry(
            [&](const AugmentDef& a) { return a.name == name && a.after_normaliser; });
      });
  if (normalise != "none") {
    names.insert(train && normalise_first ? names.begin() : normalised, normalise);
  }
  AugmentChain chain(names, options, image);
  if (eight_bit_io && !chain.keeps_bytes()) {
    raise(Fault::usage,
          "eight-bit-io: {} can be done neither to bytes nor by a table in the network; try: {}",
          chain.needs_floats(),
          chain.needs_floats() == normalise ? "--normalise mean-std" : "without --eight-bit-io");
  }
  return chain;
}

std::vector<std::pair<std::string, std::string>> DataOptions::preprocessing() const {
  std::vector<std::pair<std::string, std::string>> all{{"dataset", dataset_name()},
                                                       {"normalise", normalise}};
  if (normalise == "mean-std") {
    const auto told = [&](const std::vector<double>& typed, const std::vector<double>& own) {
      return fmt::format("{}", fmt::join(typed.empty() ? for_channels(own) : typed, ","));
    };
    all.emplace_back("mean", told(mean, def().mean));
    all.emplace_back("std", told(std, def().std));
  }
  if (def().has_pictures) {
    all.emplace_back("image-size", std::to_string(image_size));
    all.emplace_back("eval-crop", eval_crop);
    if (picture_channels == 1) {
      all.emplace_back("picture-channels", "1");
    } else {
      all.emplace_back("channel-order", channel_order);
    }
    all.emplace_back("eval-resize", std::to_string(pictures(false).resize));
    all.emplace_back("interpolation", interpolation);
    all.emplace_back("decode", decode);
    all.emplace_back("exif-turn", exif_turn ? "true" : "false");
    all.emplace_back("label-offset", std::to_string(label_offset));
  }
  if (val_share > 0) all.emplace_back("val-share", fmt::format("{}", val_share));
  if (dataset_name() == "generated") {
    all.emplace_back("generated-image-size", std::to_string(image_size));
    all.emplace_back("generated-channels", std::to_string(generated_channels));
    all.emplace_back("generated-classes", std::to_string(generated_classes));
    all.emplace_back("generated-samples", std::to_string(generated_samples));
  }
  return all;
}

}  // namespace convoy
