// Samples by number: images, with what is known of each. A dataset is read by several threads at
// once, in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "data/kept_sample.h"
#include "data/picture_spec.h"
#include "data/sample.h"
#include "tensor/shape.h"

namespace convoy {

class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual int64_t size() const = 0;
  virtual Shape image_shape() const = 0;  // [c, h, w], the same for all images
  virtual int classes() const = 0;
  virtual std::vector<std::string> class_names() const = 0;            // one per class
  virtual int64_t resident_bytes() const { return 0; }                 // of data held in memory
  virtual int64_t expected_bytes() const { return resident_bytes(); }  // once a run has it
  // Samples of each class; empty when only reading all of them would tell.
  virtual std::vector<int64_t> class_counts() const { return {}; }

  // The tensors of fixed shape that every sample has beside its image: here a label in
  // [0, classes()).
  virtual TensorList tensors() const { return {{"label", {{}, DType::s32}}}; }
  // Sample `index` in [0, size()), which the caller has begun: c*h*w bytes, plane after plane, its
  // tensors and its geometry. `key` decides what is left to chance: random_key(seed, Purpose::view,
  // epoch, index). A sample that is no image is Fault::data.
  virtual void read(int64_t index, uint64_t key, Sample& sample) const = 0;

  // Where a sample comes from, for messages.
  virtual std::string origin(int64_t index) const { return "image " + std::to_string(index); }

  // For comparing copies of a set on several machines: what a sample is called there, without
  // reading it; and a hash of what is stored of it, label included. One that cannot be read is
  // Fault::data.
  virtual KeptSample kept(int64_t index) const { return {origin(index), 0}; }
  virtual uint64_t content_hash(int64_t index) const;

  // What its user should know before trusting a result of it; empty: nothing.
  virtual std::string remark() const { return ""; }

  // For sets that are read piece by piece. The sample will be read soon; and how many neighbours
  // an epoch's order should leave together.
  virtual void expect_read(int64_t index) const { (void)index; }
  virtual int64_t run_length() const { return 1; }
};

// Which data to open. The last part is for generated data alone.
struct DatasetSpec {
  std::string data_dir;  // empty: the set's default folder, then the variable DATA_DIR
  bool train = true;     // otherwise the test set
  std::string
      held_out;  // of folders that have both, which is the test set: val or test; empty: val

  PictureSpec pictures;  // for sets of encoded pictures alone
  double val_share = 0;  // above 0: the folder has classes and no splits (data/sources/val_share.h)

  Shape image{3, 32, 32};
  int classes = 10;
  int64_t samples = 10000;
  uint64_t seed = 0;
};

// What is known of a set without its files.
struct PublishedSize {
  int64_t train = 0, test = 0;  // samples; 0: nothing is known
  int classes = 0;
  Shape image = {};  // unless it is a set of pictures
};

// One entry of the folder data/sets.
struct DatasetDef {
  std::string_view name;  // as in --dataset
  std::string_view help;
  std::unique_ptr<Dataset> (*open)(const DatasetSpec&) = nullptr;
  std::vector<double> mean, std;     // of the training pixels, in 0..1, per channel or one for all
  std::vector<std::string> augment;  // what training does to the images unless told otherwise
  std::string_view default_folder = {};  // where the files are when --data-dir is not given
  bool has_files = true;                 // whether it reads a folder at all
  bool has_pictures = false;  // encoded ones of any size: image size, crop and the like apply
  bool upright = false;       // pictures are turned as their EXIF data say unless told otherwise
  bool (*is_in)(const fs::path& folder) = nullptr;  // whether its files are there; none: never
  PublishedSize published = {};
};

const std::vector<DatasetDef>& dataset_catalog();

// Unknown names are usage errors that name the nearest known one.
const DatasetDef& find_dataset(std::string_view name);

// Where its files are when nobody says so: the set's own folder, then the variable DATA_DIR; empty:
// there is neither.
std::string usual_folder(const DatasetDef& def);

// Opens one split of a set: everything is read and checked here. What is wrong with the folder
// itself is told first (data/sources/data_folder.h).
std::unique_ptr<Dataset> open_dataset(std::string_view name, DatasetSpec spec);

// The dataset whose files are in a folder; nothing: none is known. Pictures in folders below a path
// that speaks of ImageNet are imagenet, others imagefolder.
std::optional<std::string> recognise_dataset(const fs::path& folder);

// The dataset of a folder: by what is in it, else what its name speaks of: imagenet, cifar-100,
// cifar-10, fashion-mnist. Where neither tells, Fault::data says what is wrong with it.
std::string infer_dataset(const std::string& path);

}  // namespace convoy
