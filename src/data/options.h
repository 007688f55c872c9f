// The options of all of src/data, and the objects that are made from them: dataset, augmentations,
// loader.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/fields.h"
#include "data/augment/augment_chain.h"
#include "data/classes/class_match.h"
#include "data/dataset.h"
#include "data/loading/epoch_plan.h"
#include "data/loading/loader.h"

namespace convoy {

// The floats of images in batches.
enum class ImageType { fp32, bf16 };
constexpr auto words_of(ImageType) { return words<ImageType>("fp32", "bf16"); }

struct DataOptions {
  std::string dataset;      // empty: derived from data_dir; fashion-mnist if that is empty too
  std::string data_dir;     // empty: the dataset's own default
  double val_share = 0;     // above 0: the folder has classes and no splits
  std::string held_out;     // the test split, see DatasetSpec
  int image_size = 0;       // for generated data and pictures; 0 until `suit`, as the next two
  int eval_image_size = 0;  // of pictures in evaluation; 0: image_size
  int generated_channels = 0;
  int generated_classes = 0;
  int64_t generated_samples = 10000;
  bool generated_objects = false;  // set by `suit`
  std::string normalise = "mean-std";
  // For encoded pictures.
  std::string eval_crop = "centre";
  ChannelOrder channel_order = ChannelOrder::rgb;
  Interpolation interpolation = Interpolation::bilinear;
  DecodeSpeed decode = DecodeSpeed::exact;
  int picture_channels = 3;  // 1: pictures are converted to grey
  // exif_turn: `describe` sets the dataset's default.
  bool exif_turn = false, dataset_cache = true;
  int label_offset = 0;
  int64_t max_bad = 0;
  int64_t eval_samples = 0;  // above 0: evaluation uses the first ones alone
  int workers = 0;
  int prefetch = 0;
  bool has_image_size = true;  // --image-size is the data's; a verb may use the name otherwise
  bool may_be_absent = false;  // for verbs that read no sample: see published_set
  // The classes of an existing network (of `whose`), and a map for names that differ in the data;
  // empty: the dataset's own classes. With `only_same` the dataset is left unchanged unless it has
  // exactly these names.
  struct Known {
    ClassNames names;
    ClassMap map;
    std::string whose = "the weights";
    bool only_same = false;
  } known;
  // For training only.
  std::vector<std::string> augment;  // empty: the dataset's default; "none"
  std::string crop = "random-resized";
  std::string auto_augment = "none";  // a policy, by torchvision's name for it
  double mosaic = 0;                  // share of the samples that become mosaics; for detection
  double mosaic_off_epochs = 0;
  EpochTail epoch_tail = EpochTail::drop;
  bool ra_sampler = false;  // repeated augmentation: each sample ra_reps times
  int ra_reps = 3;
  int64_t epoch_steps = 0;       // above 0: an epoch has no more steps
  bool normalise_first = false;  // before the augmentations
  bool eight_bit_io = false;     // batches are u8, and the network's first node normalises
  bool hostside_norm = false;    // normalise in the loader: excludes eight_bit_io
  ImageType image_type = ImageType::fp32;  // of the floats in batches

  // The options that views and augmentations declare themselves.
  OptionTexts of_views, of_augments;

  // Declares and reads the options; those for training only if `training`. An option that has no
  // effect with the others (mean without mean-std …) is a usage error.
  void describe(Fields& field, bool training = true);

  // Gives generated data and pictures the model's image size, channels and classes, where no option
  // has set them. `objects`: generated samples have objects, for detection.
  void suit(int image_size, int channels, int classes, bool objects);

  // The dataset's name: the option, or derived from the folder. If the folder tells nothing,
  // Fault::data describes the problem.
  std::string dataset_name() const;
  const DatasetDef& def() const { return find_dataset(dataset_name()); }

  // The number of training pictures in the folders, counted only up to `enough`; `enough` for other
  // kinds of sets.
  int64_t few_pictures(int64_t enough) const;

  // Makes the files of a set that can (DatasetDef::make_files) where its folder does not exist.
  // `begin` is called first with the folder, `end` afterwards with a text about the files.
  void make_absent_files(const std::function<void(const std::string&)>& begin,
                         const std::function<void(const std::string&)>& end) const;

  // Whether the files may be absent, no folder is given and the default folder does not exist.
  bool is_absent() const;

  // `seed` is the run's, for both splits; only generated data uses it.
  std::unique_ptr<Dataset> open(bool train, uint64_t seed) const;

  // The augmentations; evaluation only normalises. With eight_bit_io a chain that does not keep
  // bytes is a usage error.
  AugmentChain chain(const Shape& image, bool train) const;

  // Height and width of the images of pictures.
  int side(bool train) const { return !train && eval_image_size ? eval_image_size : image_size; }

  // How pictures become images, in training or evaluation; unused for sets without pictures.
  PictureSpec pictures(bool train) const;

  // The options, as text, that evaluation needs to see images as training did.
  ToldOptions preprocessing() const;
  EpochTail tail() const { return epoch_tail; }
  Repeats repeats(int replicas) const { return {ra_sampler ? ra_reps : 1, replicas, epoch_steps}; }

  // Threads, buffers and treatment of bad samples of a loader; the caller sets batch, steps and
  // seed.
  LoaderSpec loader() const;

 private:
  // The listed augmentations, and those that their own options enable.
  std::vector<std::string> training_augment() const;
  std::vector<std::string> listed_augment() const;
  AugmentOptions augment_options() const;
  void describe_source(Fields& field, bool training);
  void describe_training(Fields& field);
  void refuse_idle(Fields& field, bool training) const;
  void refuse_unused(Fields& field) const;
  // Of the dataset as far as it is known while options are read: --help has none, and a problem
  // with the folder is reported later.
  void take_defaults_of_set();
  // With val_share: the set that --data-dir holds, if it is of pictures that may be without splits.
  std::string unsplit_name() const;
  void take_format(Fields& field);
  void take_environment();
  void record_folder(Fields& field);
  // The dataset's mean or std, converted to the channels of the images.
  std::vector<double> for_channels(const std::vector<double>& of_rgb) const;
  // The split, without regard to `known`.
  std::unique_ptr<Dataset> open_split(bool train, uint64_t seed) const;
};

}  // namespace convoy
