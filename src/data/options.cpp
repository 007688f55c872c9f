#include "data/options.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/text/text.h"
#include "base/threads/cores.h"
#include "base/threads/thread_pool.h"
#include "data/first_samples.h"
#include "data/sources/folder_source.h"
#include "data/sources/published_set.h"
#include "data/views/view_maker.h"

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

// The policies, as choices of --auto-augment.
std::vector<std::string> policy_choices() {
  std::vector<std::string> choices{"none"};
  for (const AugmentDef& def : augment_catalog()) {
    if (!def.policy.empty()) choices.emplace_back(def.policy);
  }
  return choices;
}

std::vector<std::string> view_names(bool random_too) {
  std::vector<std::string> names;
  for (const ViewDef& def : view_catalog()) {
    if (random_too || !def.is_random) names.emplace_back(def.name);
  }
  return names;
}

std::string dataset_names() {
  std::vector<std::string> names;
  for (const DatasetDef& def : dataset_catalog()) names.emplace_back(def.name);
  return join(names, ", ");
}

}  // namespace

void DataOptions::describe(Fields& field, bool training) {
  describe_source(field, training);
  field(
      "val-share", val_share,
      "the data folder has no train and val, but a folder for each class, or pictures with boxes: "
      "this share (of each class) is for evaluation, chosen by the names of the files alone; 0: it "
      "has train and val",
      between(0, 0.9));
  using Names = std::vector<std::string>;
  field(has_image_size ? "image-size" : "generated-image-size", image_size,
        "height and width of the images that pictures become, or of generated ones; 0: the model's "
        "own",
        between(0, 4096),
        !has_image_size ? Names{}
        : training      ? Names{"generated-image-size", "train-crop-size"}
                        : Names{"generated-image-size", "train-crop-size", "val-crop-size"});
  if (training && has_image_size) {
    field("eval-image-size", eval_image_size,
          "height and width of the images that evaluation makes of pictures; 0: --image-size",
          between(0, 4096), {"val-crop-size"});
  }
  field("generated-channels", generated_channels,
        "channels of generated images; 0: the model's own", between(0, 64));
  field("generated-classes", generated_classes,
        "classes of generated data, with the background in detection; 0: as the model's usual ones",
        between(0, 1000000));
  field("generated-samples", generated_samples,
        "training images of generated data; the test set has a fifth of it", between(1, 1e12));
  field("normalise", normalise, "what brings pixels to the network's scale; none leaves 0..255",
        one_of(normaliser_choices()), {"normalize"});
  for (const AugmentDef& def : augment_catalog()) {
    if (def.normaliser) of_augments.describe(field, def.describe);
  }
  take_defaults_of_set();
  field("eval-crop", eval_crop, "the part of a picture that evaluation sees",
        one_of(view_names(false)));
  for (const ViewDef& def : view_catalog()) {
    if (!def.is_random) of_views.describe(field, def.describe);
  }
  field("interpolation", interpolation,
        "how pictures are resized: antialiased as Pillow's, TensorFlow 1's legacy-bilinear, or its "
        "corner-aligned of crops");
  field("channel-order", channel_order, "rgb, or bgr as Caffe's networks take pictures");
  field("picture-channels", picture_channels,
        "1: pictures become grey, and the network sees one channel; 3: colours", between(1, 3),
        {"channels"});
  field("decode", decode,
        "exact: the pixels of a full decode; fast: JPEGs by a coarser way, large ones shrunk");
  field("exif-turn", exif_turn,
        "turn pictures upright as their EXIF data say; else as stored. By default so for "
        "imagefolder, voc and yolo, not for imagenet and coco");
  field("label-offset", label_offset,
        "added to every label of pictures: 1 where class 0 of the network is the background",
        between(0, 1000));
  field("dataset-cache", dataset_cache, "keep encoded pictures in memory while enough is free");
  field("max-bad", max_bad,
        "pictures of an epoch that may be broken: each is named, in training the next one stands "
        "in, in evaluation it does not count; more than that end the run",
        at_least(0));
  field("eval-samples", eval_samples, "evaluate on the first N samples; 0: all of them",
        at_least(0));
  field("workers", workers, "threads that make batches; 0: one for every four cores",
        between(0, 1024).no_result(), {"pipeline-num-parallel"});
  field("prefetch", prefetch,
        "batches made ahead of the one in use; 0: 3, or one more than there are workers",
        between(0, 1024).no_result());
  if (training) describe_training(field);
  refuse_idle(field, training);
}

// Which data, and where they are.
void DataOptions::describe_source(Fields& field, bool training) {
  field.section("Data");
  field("dataset", dataset,
        dataset_names() + "; without it, what --data-dir holds, or fashion-mnist");
  field.chooses("dataset");
  field("data-dir", data_dir,
        "folder of the dataset's files; without it $DATA_DIR, or where Debian's package of the "
        "dataset puts them",
        any_value().no_result(), {"data-path"});
  take_format(field);
  take_environment();
  // Files that a run makes belong to it: it finds them again wherever it is resumed.
  if (training && data_dir.empty() && !dataset.empty() && find_dataset(dataset).make_files) {
    data_dir = usual_folder(find_dataset(dataset));
  }
  if (training && !data_dir.empty()) record_folder(field);
}

void DataOptions::describe_training(Fields& field) {
  field(
      "augment", augment,
      "list of " + names_of(false, ", ") + " in the order of use, or none; default: the dataset's");
  field("crop", crop, "the part of a picture that training sees", one_of(view_names(true)));
  for (const ViewDef& def : view_catalog()) {
    if (def.is_random) of_views.describe(field, def.describe);
  }
  field("auto-augment", auto_augment,
        "a policy after the others of augment, by torchvision's name for it",
        one_of(policy_choices()));
  for (const AugmentDef& def : augment_catalog()) {
    if (!def.normaliser) of_augments.describe(field, def.describe);
  }
  field("mosaic", mosaic,
        "share of the training images of a detector that are made of four pictures with their "
        "objects",
        between(0, 1));
  field("mosaic-off-epochs", mosaic_off_epochs, "no mosaics in the last N epochs", at_least(0));
  field.needs("mosaic-off-epochs", mosaic > 0, "--mosaic above 0", {"mosaic"});
  field("epoch-tail", epoch_tail,
        "when the batch does not divide the dataset: carry on into the next epoch; drop the "
        "rest; one short step; or wrap: carry on, and count an epoch as the whole steps it needs");
  field("epoch-steps", epoch_steps,
        "an epoch ends after this many steps, with as much of the dataset as they take; more than "
        "an epoch has, or 0: no such limit",
        at_least(0));
  field("ra-sampler", ra_sampler,
        "repeated augmentation: a step holds each of its images ra-reps times, every time "
        "augmented anew; an epoch has as many steps as without it, and so sees 1 / ra-reps of the "
        "dataset");
  field("ra-reps", ra_reps, "how many times, with ra-sampler", between(2, 256));
  field("normalise-first", normalise_first,
        "training normalises images before it augments them: what pad-crop adds is then 0 "
        "afterwards, not black; for augmentations that only move pixels");
  field("eight-bit-io", eight_bit_io,
        "batches hold images as bytes, a quarter of the memory, and the network normalises them "
        "first; changes no result",
        any_value().no_result());
  field("hostside-norm", hostside_norm,
        "the loader normalises images. This is the default, accepted for recipes that say it; "
        "--eight-bit-io is the other way, and the two exclude each other",
        any_value().no_result());
  field("data-loader-image-type", image_type,
        "with --precision 16.32: batches hold images in fp32, or in bf16, half the memory", {},
        {"dlit"});
}

// A recipe for pictures with boxes serves all formats of them: the folder says which one it has.
void DataOptions::take_format(Fields& field) {
  if (dataset.empty() || data_dir.empty() || field.typed("dataset")) return;
  if (!def().published.objects) return;
  const std::optional<std::string> found = recognise_dataset(data_dir);
  if (!found || !find_dataset(*found).published.objects) return;
  // Drawn shapes have COCO's format.
  const bool is_own = def().is_in ? def().is_in(data_dir) : *found == "coco";
  if (is_own) return;
  dataset = *found;
  field.record("dataset", {dataset});
}

// The variable DATA_DIR replaces --data-dir.
void DataOptions::take_environment() {
  const char* variable = std::getenv("DATA_DIR");
  if (!variable || !*variable || !data_dir.empty()) return;
  if (!dataset.empty() && (!def().has_files || !def().default_folder.empty())) return;
  data_dir = variable;
}

// Absolute, so that a resume from another folder finds it.
void DataOptions::record_folder(Fields& field) {
  std::error_code none;
  data_dir = std::filesystem::absolute(data_dir, none).string();
  field.record("data-dir", {data_dir});
}

void DataOptions::take_defaults_of_set() {
  std::optional<std::string> name = dataset;
  if (dataset.empty()) {
    name = {};
    if (!data_dir.empty()) name = recognise_dataset(data_dir);
    if (val_share > 0) name = unsplit_name();
  }
  if (!name) return;
  const DatasetDef& set = find_dataset(*name);
  exif_turn = set.upright;
  crop = set.crop;
  eval_crop = set.eval_crop;
}

void DataOptions::suit(int size, int channels, int classes, bool objects) {
  generated_objects = objects;
  if (!image_size) image_size = size;
  if (!generated_channels) generated_channels = channels;
  if (!generated_classes) generated_classes = classes;
}

std::string DataOptions::unsplit_name() const {
  const std::optional<std::string> found =
      data_dir.empty() ? std::nullopt : recognise_dataset(data_dir);
  return found && find_dataset(*found).may_be_whole ? *found : "imagefolder";
}

std::string DataOptions::dataset_name() const {
  if (!dataset.empty()) return dataset;
  if (val_share > 0) return unsplit_name();
  return data_dir.empty() ? "fashion-mnist" : infer_dataset(data_dir);
}

int64_t DataOptions::few_pictures(int64_t enough) const {
  if (data_dir.empty() || !def().has_pictures) return enough;
  if (is_split(data_dir)) return count_pictures(*split_folder(data_dir, true), enough);
  if (val_share == 0) return enough;
  const auto all = static_cast<int64_t>(std::ceil(static_cast<double>(enough) / (1 - val_share)));
  if (count_pictures(data_dir, all) >= all) return enough;
  try {
    return std::min(enough, open_share(data_dir, true, val_share)->size());
  } catch (const Error&) {  // opening the dataset reports the error
    return enough;
  }
}

void DataOptions::make_absent_files(const std::function<void(const std::string&)>& begin,
                                    const std::function<void(const std::string&)>& end) const {
  if (!def().make_files) return;
  const std::string folder = data_dir.empty() ? usual_folder(def()) : data_dir;
  std::error_code none;
  if (std::filesystem::exists(folder, none)) return;
  begin(folder);
  ThreadPool pool(available_cores());
  end(def().make_files(folder, pool));
}

bool DataOptions::is_absent() const {
  const bool is_own = data_dir.empty() || def().make_files;
  if (!may_be_absent || !is_own || def().published.train == 0) return false;
  const std::string folder = data_dir.empty() ? usual_folder(def()) : data_dir;
  return folder.empty() || !std::filesystem::exists(folder);
}

std::unique_ptr<Dataset> DataOptions::open_split(bool train, uint64_t seed) const {
  if (is_absent()) return published_set(def(), train, {picture_channels, side(train), side(train)});
  return open_dataset(dataset_name(),
                      {.data_dir = data_dir,
                       .train = train,
                       .held_out = held_out,
                       .pictures = pictures(train),
                       .val_share = val_share,
                       .image = {generated_channels, image_size, image_size},
                       .classes = generated_classes,
                       .samples = train ? generated_samples : divide_up(generated_samples, 5),
                       .objects = generated_objects,
                       .seed = seed});
}

std::unique_ptr<Dataset> DataOptions::open(bool train, uint64_t seed) const {
  std::unique_ptr<Dataset> data = open_split(train, seed);
  if (!train && eval_samples > 0 && eval_samples < data->size()) {
    data = std::make_unique<OwnFirstSamples>(std::move(data), eval_samples);
  }
  if (known.names.empty() || is_absent()) return data;
  if (known.only_same && !same_names(known.names, data->class_names())) return data;
  return with_classes(std::move(data), known.names, known.map, known.whose);
}

PictureSpec DataOptions::pictures(bool train) const {
  const PictureSpec spec{.size = side(train),
                         .channels = picture_channels,
                         .bgr = channel_order == ChannelOrder::bgr,
                         .view = train ? crop : eval_crop,
                         .options = of_views,
                         .how = interpolation,
                         .decode = decode,
                         .upright = exif_turn,
                         .cache = dataset_cache,
                         .label_offset = label_offset};
  find_view(spec.view).make(spec);  // refuses options that do not fit the size
  return spec;
}

LoaderSpec DataOptions::loader() const {
  LoaderSpec spec{.workers = workers,
                  .bad = max_bad > 0 ? BadSamples::replace : BadSamples::refuse,
                  .bytes = eight_bit_io,
                  .bf16 = image_type == ImageType::bf16,
                  .max_bad = max_bad};
  spec.prefetch = prefetch ? prefetch : std::max(3, worker_count(spec) + 1);
  return spec;
}

}  // namespace convoy
