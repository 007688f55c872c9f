// The options of everything in this folder, and the objects they stand for.
#pragma once

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

struct DataOptions {
  std::string dataset;   // empty: what data_dir speaks of; fashion-mnist when that is empty too
  std::string data_dir;  // empty: the dataset's own default
  double val_share = 0;  // above 0: the folder has classes and no splits
  std::string held_out;  // what was asked for by name, see DatasetSpec
  int image_size = 0;    // of generated data and pictures; this and the next two: 0 until `suit`
  int generated_channels = 0;
  int generated_classes = 0;
  int64_t generated_samples = 10000;
  std::string normalise = "mean-std";
  // Of encoded pictures.
  std::string eval_crop = "centre";
  ChannelOrder channel_order = ChannelOrder::rgb;
  Interpolation interpolation = Interpolation::bilinear;
  DecodeSpeed decode = DecodeSpeed::exact;
  int picture_channels = 3;                      // 1: pictures become grey
  bool exif_turn = false, dataset_cache = true;  // the first: until `describe` knows the dataset
  int label_offset = 0;
  int64_t max_bad = 0;
  int workers = 0;
  int prefetch = 0;
  bool has_image_size = true;  // --image-size means that of the data; a verb may need the name
  bool may_be_absent = false;  // a verb that reads no sample does without files: see published_set
  // The classes of a network that has some already, as `whose` tells, and names that differ in the
  // data; empty: the dataset's own. With `only_same` others than these leave the dataset as it is.
  struct Known {
    ClassNames names;
    ClassMap map;
    std::string whose = "the weights";
    bool only_same = false;
  } known;
  // For training only.
  std::vector<std::string> augment;  // empty: the dataset's default; "none"
  std::string crop = "random-resized";
  std::string auto_augment = "none";  // a policy by the name that torchvision's flag has for it
  EpochTail epoch_tail = EpochTail::drop;
  bool ra_sampler = false;  // repeated augmentation, each sample ra_reps times
  int ra_reps = 3;
  bool normalise_first = false;  // before the augmentations
  bool eight_bit_io = false;     // batches hold bytes, and the network's first node normalises
  bool hostside_norm = false;    // says that it does not

  // What views and augmentations declare for themselves.
  OptionTexts of_views, of_augments;

  // Declares and reads the options; those for training alone only when asked. An option that would
  // change nothing together with the others (mean without mean-std …) is a usage error.
  void describe(Fields& field, bool training = true);

  // Generated data is what the model was made for, as far as the options leave it open.
  void suit(int image_size, int channels, int classes);

  // The dataset's name, found as above, and its entry. Where the folder tells nothing: what is
  // wrong with it, as Fault::data.
  std::string dataset_name() const;
  const DatasetDef& def() const { return find_dataset(dataset_name()); }

  // How many training pictures there are in folders, counted no further than `enough`, which also
  // stands for other sets.
  int64_t few_pictures(int64_t enough) const;

  // Nobody says where the files are, they are not where they usually are, and they may be absent.
  bool is_absent() const;

  // `seed` matters to generated data alone: the run's, for both splits.
  std::unique_ptr<Dataset> open(bool train, uint64_t seed) const;

  // Evaluation normalises only. With eight_bit_io one that keeps bytes, or a usage error.
  AugmentChain chain(const Shape& image, bool train) const;

  // How pictures become images for either; for sets without pictures it would mean nothing.
  PictureSpec pictures(bool train) const;

  // What evaluation needs to know to see images as training did: options as text.
  ToldOptions preprocessing() const;
  EpochTail tail() const { return epoch_tail; }
  Repeats repeats(int replicas) const { return {ra_sampler ? ra_reps : 1, replicas}; }

  // The loader's threads and buffers, and what it does about what is no image; batch, steps and
  // seed are the caller's.
  LoaderSpec loader() const;

 private:
  // Those listed, and those that options of their own ask for.
  std::vector<std::string> training_augment() const;
  std::vector<std::string> listed_augment() const;
  AugmentOptions augment_options() const;
  void describe_training(Fields& field);
  void refuse_idle(Fields& field) const;
  void refuse_unused(Fields& field) const;
  bool turns_by_default() const;
  void take_environment();
  // The dataset's mean or std for the channels that the images have.
  std::vector<double> for_channels(const std::vector<double>& of_rgb) const;
};

}  // namespace convoy
