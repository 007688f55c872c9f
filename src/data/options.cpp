#include "data/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"
#include "data/published_set.h"
#include "data/view_maker.h"

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

// The policies, by the names of --auto-augment.
std::vector<std::string> policy_choices() {
  std::vector<std::string> choices{"none"};
  for (const AugmentDef& def : augment_catalog()) {
    if (!def.policy.empty()) choices.emplace_back(def.policy);
  }
  return choices;
}

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

std::vector<std::string> view_names(bool random_too) {
  std::vector<std::string> names;
  for (const ViewDef& def : view_catalog()) {
    if (random_too || !def.is_random) names.emplace_back(def.name);
  }
  return names;
}

// The dataset's own numbers are those of red, green and blue; typed ones are in the order of the
// image's channels.
std::vector<double> in_order(std::vector<double> of_rgb, std::string_view channel_order) {
  if (channel_order == "bgr") std::reverse(of_rgb.begin(), of_rgb.end());
  return of_rgb;
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
  field.chooses("dataset");
  field("data-dir", data_dir,
        "folder of the dataset's files; default: the dataset's own, or $DATA_DIR", {},
        {"data-path"});
  take_environment();
  if (training && !data_dir.empty()) {  // so that a resume finds it, wherever that is typed
    std::error_code none;
    data_dir = std::filesystem::absolute(data_dir, none).string();
    field.record("data-dir", {data_dir});
  }
  using Names = std::vector<std::string>;
  field(
      has_image_size ? "image-size" : "generated-image-size", image_size,
      "height and width of the images that pictures become, or of generated ones; 0: the model's "
      "own",
      between(0, 4096),
      has_image_size ? Names{"generated-image-size", "train-crop-size", "val-crop-size"} : Names{});
  field("generated-channels", generated_channels,
        "channels of generated images; 0: the model's own", between(0, 64));
  field("generated-classes", generated_classes,
        "classes of generated data; 0: as the model's usual ones", between(0, 1000000));
  field("generated-samples", generated_samples,
        "training images of generated data; the test set has a fifth of it", between(1, 1e12));
  field("normalise", normalise, "what brings pixels to the network's scale; none leaves 0..255",
        one_of(normaliser_choices()), {"normalize"});
  field("mean", mean,
        "of the pixels in 0..1, one or one per channel of the image, in its order; default: the "
        "dataset's",
        between(-1000, 1000));
  field("std", std,
        "of the pixels in 0..1, one or one per channel of the image, in its order; default: the "
        "dataset's",
        between(1e-6, 1000));
  field("eval-crop", eval_crop, "the part of a picture that evaluation sees",
        one_of(view_names(false)));
  field("eval-resize", eval_resize,
        "pictures' shorter side before the middle is cut out for evaluation; 0: image-size x 256 / "
        "224",
        between(0, 8192), {"val-resize-size"});
  field("interpolation", interpolation,
        "how pictures are resized: antialiased as Pillow's, or TensorFlow 1's legacy-bilinear",
        one_of({"bilinear", "bicubic", "nearest", "legacy-bilinear"}));
  field("channel-order", channel_order, "rgb, or bgr as Caffe's networks take pictures",
        one_of({"rgb", "bgr"}));
  field("decode", decode,
        "exact: the pixels of a full decode; fast: JPEGs by a coarser way, large ones shrunk",
        one_of({"exact", "fast"}));
  field("exif-turn", exif_turn, "turn pictures upright as their EXIF data say; else as stored");
  field("label-offset", label_offset,
        "added to every label of pictures: 1 where class 0 of the network is the background",
        between(0, 1000));
  field("dataset-cache", dataset_cache, "keep encoded pictures in memory while enough is free");
  field("max-bad", max_bad,
        "pictures of an epoch that may be broken: each is named, in training the next one stands "
        "in, in evaluation it does not count; more than that end the run",
        at_least(0));
  field("workers", workers, "threads that make batches; 0: one for every four cores",
        between(0, 1024), {"pipeline-num-parallel"});
  field("prefetch", prefetch,
        "batches made ahead of the one in use; 0: 3, or one more than there are workers",
        between(0, 1024));
  if (training) {
    field("augment", augment,
          "list of " + names_of(false, ", ") +
              " in the order of use, or none; default: the dataset's");
    field("crop", crop, "the part of a picture that training sees", one_of(view_names(true)));
    field("crop-area", crop_area,
          "smallest and largest share of the picture that a random crop has; default: the crop's",
          between(1e-4, 1));
    field("crop-ratio", crop_ratio,
          "smallest and largest width / height of a random crop; default: the crop's",
          between(0.01, 100));
    field("crop-padding", crop_padding, "pixels that pad-crop pads on each side", between(0, 4096));
    field("auto-augment", auto_augment,
          "a policy after the others of augment, by torchvision's name for it",
          one_of(policy_choices()));
    field("ra-magnitude", ra_magnitude, "how much the effects of rand-augment do", between(0, 30));
    field("augmix-severity", augmix_severity, "how much the effects of augmix do at most",
          between(1, 10));
    field("policy-interpolation", policy_interpolation,
          "how policies shear, move and rotate; torchvision's training script has them follow its "
          "--interpolation",
          one_of({"nearest", "bilinear"}));
    field("color-jitter", color_jitter,
          "strengths of brightness, contrast, saturation and hue that color-jitter draws from; "
          "left out: 0; adds color-jitter to augment where it is not listed",
          between(0, 100), {"colour-jitter"});
    field("random-erase", random_erase,
          "probability that a rectangle of the normalised image becomes 0", between(0, 1));
    field("epoch-tail", epoch_tail,
          "when the batch does not divide the dataset: carry on into the next epoch; drop the "
          "rest; one short step; or wrap: carry on, and count an epoch as the whole steps it needs",
          one_of({"carry", "drop", "short", "wrap"}));
    field("ra-sampler", ra_sampler,
          "repeated augmentation: a step holds each of its images ra-reps times, every time "
          "augmented anew; an epoch is no longer for it, and sees a part of the dataset");
    field("ra-reps", ra_reps, "how many times, with ra-sampler", between(2, 256));
    field("normalise-first", normalise_first,
          "training normalises images before it augments them: what pad-crop adds is then 0 "
          "afterwards, not black; for augmentations that only move pixels");
    field("eight-bit-io", eight_bit_io,
          "batches hold images as bytes, a quarter of the memory, and the network normalises them "
          "first; changes no result");
    field("hostside-norm", hostside_norm,
          "the loader normalises images; it does so anyway without --eight-bit-io, and with that "
          "this is refused");
  }
  refuse_idle(field);
}

// The variable says what --data-dir would say.
void DataOptions::take_environment() {
  const char* variable = std::getenv("DATA_DIR");
  if (!variable || !*variable || !data_dir.empty()) return;
  if (!dataset.empty() && (!def().has_files || !def().default_folder.empty())) return;
  data_dir = variable;
}

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
            "label-offset", "dataset-cache", "max-bad", "crop", "crop-area", "crop-ratio"},
           "a dataset of pictures", {"dataset"});
  }
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

void DataOptions::suit(int size, int channels, int classes) {
  if (!image_size) image_size = size;
  if (!generated_channels) generated_channels = channels;
  if (!generated_classes) generated_classes = classes;
}

std::string DataOptions::dataset_name() const {
  if (!dataset.empty()) return dataset;
  return data_dir.empty() ? "fashion-mnist" : infer_dataset(data_dir);
}

bool DataOptions::is_absent() const {
  if (!may_be_absent || !data_dir.empty() || def().published.train == 0) return false;
  const std::string folder = usual_folder(def());
  return folder.empty() || !std::filesystem::exists(folder);
}

std::unique_ptr<Dataset> DataOptions::open(bool train, uint64_t seed) const {
  if (is_absent()) return published_set(def(), train, {3, image_size, image_size});
  std::unique_ptr<Dataset> data = open_dataset(
      dataset_name(), {.data_dir = data_dir,
                       .train = train,
                       .held_out = held_out,
                       .pictures = pictures(train),
                       .image = {generated_channels, image_size, image_size},
                       .classes = generated_classes,
                       .samples = train ? generated_samples : divide_up(generated_samples, 5),
                       .seed = seed});
  if (known.names.empty()) return data;
  if (known.only_same && !same_names(known.names, data->class_names())) return data;
  return with_classes(std::move(data), known.names, known.map, known.whose);
}

PictureSpec DataOptions::pictures(bool train) const {
  const int64_t size = image_size;
  if (eval_resize && eval_resize < size) {
    raise(Fault::usage, "eval-resize {} is smaller than the image of {}; try: --eval-resize {}",
          eval_resize, size, size * 256 / 224);
  }
  return {.size = size,
          .bgr = channel_order == "bgr",
          .view = train ? crop : eval_crop,
          .resize = eval_resize ? eval_resize : size * 256 / 224,
          .area = crop_area,
          .ratio = crop_ratio,
          .how = interpolation_by_name(interpolation),
          .decode = decode == "fast" ? DecodeSpeed::fast : DecodeSpeed::exact,
          .upright = exif_turn,
          .cache = dataset_cache,
          .label_offset = label_offset};
}

LoaderSpec DataOptions::loader() const {
  LoaderSpec spec{.workers = workers,
                  .bad = max_bad > 0 ? BadSamples::replace : BadSamples::refuse,
                  .bytes = eight_bit_io,
                  .max_bad = max_bad};
  spec.prefetch = prefetch ? prefetch : std::max(3, worker_count(spec) + 1);
  return spec;
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
                               .mean = mean.empty() ? in_order(def().mean, channel_order) : mean,
                               .std = std.empty() ? in_order(def().std, channel_order) : std,
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
      return fmt::format("{}",
                         fmt::join(typed.empty() ? in_order(own, channel_order) : typed, ","));
    };
    all.emplace_back("mean", told(mean, def().mean));
    all.emplace_back("std", told(std, def().std));
  }
  if (def().has_pictures) {
    all.emplace_back("image-size", std::to_string(image_size));
    all.emplace_back("eval-crop", eval_crop);
    all.emplace_back("channel-order", channel_order);
    all.emplace_back("eval-resize", std::to_string(pictures(false).resize));
    all.emplace_back("interpolation", interpolation);
    all.emplace_back("decode", decode);
    all.emplace_back("exif-turn", exif_turn ? "true" : "false");
    all.emplace_back("label-offset", std::to_string(label_offset));
  }
  if (dataset_name() == "generated") {
    all.emplace_back("generated-image-size", std::to_string(image_size));
    all.emplace_back("generated-channels", std::to_string(generated_channels));
    all.emplace_back("generated-classes", std::to_string(generated_classes));
    all.emplace_back("generated-samples", std::to_string(generated_samples));
  }
  return all;
}

}  // namespace convoy
