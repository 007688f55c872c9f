// Which data options are refused together; which augmentations training uses; which options
// evaluation must know.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/text/text.h"
#include "data/options.h"
#include "data/views/view_maker.h"

namespace convoy {
namespace {

// The entry of the catalogue for which `is_it` holds; null: none.
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

using Keys = std::initializer_list<std::string_view>;

// Refuses options of catalogue entries that are not in use, unless an entry in use has them too.
// `name` gives an entry's name as a value of `option`; empty: another option selects it.
template <class Def, class Name, class InUse>
void refuse_options(Fields& field, const std::vector<Def>& catalog, std::string_view option,
                    Keys choosers, const Name& name, const InUse& in_use) {
  std::map<std::string, std::vector<std::string>> owners;
  for (const Def& def : catalog) {
    if (name(def).empty()) continue;
    for (const std::string& key : option_keys(def.describe)) owners[key].emplace_back(name(def));
  }
  for (const Def& def : catalog) {
    if (!in_use(def)) continue;
    for (const std::string& key : option_keys(def.describe)) owners.erase(key);
  }
  for (const auto& [key, names] : owners) {
    field.needs(key, false, fmt::format("{} {}", option, join(names, " or ")), choosers);
  }
}

}  // namespace

void DataOptions::refuse_idle(Fields& field, bool training) const {
  const auto refuse = [&](Keys keys, std::string_view with, Keys choosers) {
    for (const std::string_view key : keys) field.needs(key, false, with, choosers);
  };
  // --help has no dataset, and must not fail because of DATA_DIR.
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
    const char* with = "a dataset of pictures";
    refuse({"eval-crop", "channel-order", "interpolation", "decode", "exif-turn", "label-offset",
            "dataset-cache", "max-bad", "crop", "picture-channels", "eval-image-size"},
           with, {"dataset"});
    for (const ViewDef& def : view_catalog()) {
      for (const std::string& key : option_keys(def.describe)) refuse({key}, with, {"dataset"});
    }
  }
  const auto fixes_interpolation = [](const std::string& view) {
    return find_view(view).how.has_value();
  };
  field.needs("interpolation",
              !fixes_interpolation(eval_crop) || (training && !fixes_interpolation(crop)),
              "a crop that does not fix it", {"eval-crop", "crop"});
  field.needs("val-share", def().may_be_whole, "dataset imagefolder, coco, voc or yolo",
              {"dataset"});
  if (picture_channels == 2) {
    raise(Fault::usage, "pictures have no 2 channels; try: --picture-channels 1 for grey");
  }
  if (picture_channels == 1) refuse({"channel-order"}, "colours", {"picture-channels"});
  if (field.given("data-dir") && !def().has_files) {
    raise(Fault::usage, "data-dir does nothing with dataset {}; try: without it", dataset_name());
  }
  if (eight_bit_io && hostside_norm) {
    raise(Fault::usage,
          "eight-bit-io leaves normalisation to the network, hostside-norm to the loader; try: one "
          "of them");
  }
  if (eight_bit_io && image_type == ImageType::bf16) {
    raise(Fault::usage,
          "eight-bit-io: batches hold bytes, not bf16; try: without --data-loader-image-type");
  }
  if (!eight_bit_io && !hostside_norm && field.given("hostside-norm")) {
    raise(Fault::usage,
          "hostside-norm false lets the network normalise, which takes bytes; try: --eight-bit-io");
  }
  field.needs("normalise-first", normalise != "none" && !training_augment().empty(),
              "a normalisation and augmentations", {"normalise", "augment"});
  if (!ra_sampler) refuse({"ra-reps"}, "ra-sampler", {"ra-sampler"});
  refuse_unused(field);
}

void DataOptions::refuse_unused(Fields& field) const {
  const auto view_is_used = [&](const ViewDef& def) {
    return def.name == crop || def.name == eval_crop;
  };
  using Name = std::string_view;
  refuse_options(
      field, view_catalog(), "crop", {"crop"},
      [](const ViewDef& def) { return def.is_random ? def.name : Name(); }, view_is_used);
  refuse_options(
      field, view_catalog(), "eval-crop", {"eval-crop"},
      [](const ViewDef& def) { return def.is_random ? Name() : def.name; }, view_is_used);

  const std::vector<std::string> names = training_augment();
  // An entry with `asked` is enabled by its own options, so they may also disable it.
  const auto is_used = [&](const AugmentDef& def) {
    return def.name == normalise || contains(names, def.name) || def.asked;
  };
  refuse_options(
      field, augment_catalog(), "normalise", {"normalise"},
      [](const AugmentDef& def) { return def.normaliser ? def.name : Name(); }, is_used);
  refuse_options(
      field, augment_catalog(), "auto-augment", {"auto-augment", "augment"},
      [](const AugmentDef& def) { return def.policy; }, is_used);
  refuse_options(
      field, augment_catalog(), "augment", {"augment", "dataset"},
      [](const AugmentDef& def) {
        return def.normaliser || !def.policy.empty() ? Name() : def.name;
      },
      is_used);
}

// The dataset's own numbers are for red, green and blue; typed ones are in the order of the image's
// channels. The mean of grey follows exactly from the colours' means; for its deviation the same
// weights are nearly right, since the colours of photographs are strongly correlated.
std::vector<double> DataOptions::for_channels(const std::vector<double>& of_rgb) const {
  if (of_rgb.size() != 3) return of_rgb;
  if (def().has_pictures && picture_channels == 1) {
    const double grey = 0.299 * of_rgb[0] + 0.587 * of_rgb[1] + 0.114 * of_rgb[2];
    return {std::round(grey * 1000) / 1000};
  }
  if (channel_order == ChannelOrder::bgr) return {of_rgb[2], of_rgb[1], of_rgb[0]};
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
  for (const AugmentDef& def : augment_catalog()) {
    if (def.asked && def.asked(of_augments) && !contains(names, def.name)) {
      names.emplace_back(def.name);
    }
  }
  if (auto_augment != "none") {
    if (has_policy(names)) {
      raise(Fault::usage, "a policy in augment and auto-augment {} besides; try: one of them",
            auto_augment);
    }
    names.emplace_back(
        find_entry([&](const AugmentDef& a) { return a.policy == auto_augment; })->name);
  }
  return names;
}

AugmentOptions DataOptions::augment_options() const {
  return {.own = of_augments,
          .mean = for_channels(def().mean),
          .std = for_channels(def().std),
          .bgr = channel_order == ChannelOrder::bgr};
}

AugmentChain DataOptions::chain(const Shape& image, bool train) const {
  std::vector<std::string> names = train ? training_augment() : std::vector<std::string>{};
  const auto normalised =
      std::stable_partition(names.begin(), names.end(), [](const std::string& name) {
        return !find_entry(
            [&](const AugmentDef& a) { return a.name == name && a.after_normaliser; });
      });
  if (normalise != "none") {
    names.insert(train && normalise_first ? names.begin() : normalised, normalise);
  }
  AugmentChain chain(names, augment_options(), image);
  if (eight_bit_io && !chain.keeps_bytes()) {
    raise(Fault::usage,
          "eight-bit-io: {} can be done neither to bytes nor by a table in the network; try: {}",
          chain.needs_floats(),
          chain.needs_floats() == normalise ? "--normalise mean-std" : "without --eight-bit-io");
  }
  const std::string& view = train ? crop : eval_crop;
  if (def().has_pictures && find_view(view).floats) {
    if (eight_bit_io) {
      raise(Fault::usage,
            "eight-bit-io: the images of {} are not rounded to bytes; try: without --eight-bit-io",
            view);
    }
    if (!chain.needs_bytes().empty()) {
      raise(Fault::usage,
            "{} works on bytes, but the images of {} are not rounded to bytes; try: --augment "
            "without it, or another --crop",
            chain.needs_bytes(), view);
    }
  }
  return chain;
}

ToldOptions DataOptions::preprocessing() const {
  ToldOptions all{{"dataset", dataset_name()}, {"normalise", normalise}};
  const auto add = [&](const ToldOptions& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  const AugmentDef* normaliser =
      find_entry([&](const AugmentDef& a) { return a.name == normalise; });
  if (normaliser && normaliser->told) add(normaliser->told(augment_options()));
  if (def().has_pictures) {
    all.emplace_back("image-size", std::to_string(side(false)));
    all.emplace_back("eval-crop", eval_crop);
    if (picture_channels == 1) {
      all.emplace_back("picture-channels", "1");
    } else {
      all.emplace_back("channel-order", word_of(channel_order));
    }
    const ViewDef& view = find_view(eval_crop);
    if (view.told) add(view.told(pictures(false)));
    if (!view.how) all.emplace_back("interpolation", word_of(interpolation));
    all.emplace_back("decode", word_of(decode));
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
