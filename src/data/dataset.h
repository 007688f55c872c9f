// A dataset gives samples by index: images, each with its label or other tensors. Several threads
// read it at once, in any order.
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

class ThreadPool;

class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual int64_t size() const = 0;
  virtual Shape image_shape() const = 0;  // [c, h, w], the same for all images
  // Of the images that `read` writes: u8, or f32 for values of 0..255 that are not rounded.
  virtual DType image_type() const { return DType::u8; }
  TensorType image() const { return {image_shape(), image_type()}; }
  virtual int classes() const = 0;
  virtual std::vector<std::string> class_names() const = 0;            // one per class
  virtual int64_t resident_bytes() const { return 0; }                 // of data kept in memory
  virtual int64_t expected_bytes() const { return resident_bytes(); }  // after reading everything
  // Samples of each class; empty if this is known only after reading all samples.
  virtual std::vector<int64_t> class_counts() const { return {}; }

  // The tensors of fixed shape that every sample has besides its image: here a label in [0,
  // classes()).
  virtual TensorList tensors() const { return {{"label", {{}, DType::s32}}}; }
  // Whether samples have objects (data/objects.h) in place of a label.
  bool has_objects() const;
  // Reads sample `index` in [0, size()) into `sample`, on which the caller has called `begin`:
  // c*h*w values, plane after plane, its tensors and its geometry. `key` determines random choices:
  // random_key(seed, Purpose::view, epoch, index). A sample that cannot be decoded is Fault::data.
  virtual void read(int64_t index, uint64_t key, Sample& sample) const = 0;

  // The source of a sample, for messages.
  virtual std::string origin(int64_t index) const { return "image " + std::to_string(index); }

  // To compare copies of a set on several machines. `kept`: the sample's name in the set, without
  // reading it; `content_hash`: a hash of its stored content, label included. An unreadable sample
  // is Fault::data.
  virtual KeptSample kept(int64_t index) const { return {origin(index), 0}; }
  virtual uint64_t content_hash(int64_t index) const;

  // A warning about results with this dataset; empty: none.
  virtual std::string remark() const { return ""; }

  // For sets that are read piece by piece. `announce_read`: hint that the sample is read soon.
  // `run_length`: how many neighbours the order of an epoch should keep together.
  virtual void announce_read(int64_t index) const { (void)index; }
  virtual int64_t run_length() const { return 1; }
};

// Which data to open. The last four members are for generated data only.
struct DatasetSpec {
  std::string data_dir;  // empty: the set's default folder, then the variable DATA_DIR
  bool train = true;     // otherwise the test set
  // The test set of folders that have both val and test; empty: val.
  std::string held_out;

  PictureSpec pictures;  // for sets of encoded pictures only
  double val_share = 0;  // above 0: the folder has classes and no splits (data/sources/val_share.h)

  Shape image{3, 32, 32};
  int classes = 10;
  int64_t samples = 10000;
  bool objects = false;  // images with objects, class 0 being the background
  uint64_t seed = 0;
};

// What is known of a set without its files.
struct PublishedSize {
  int64_t train = 0, test = 0;  // samples; 0: unknown
  int classes = 0;
  Shape image = {};      // for sets that do not consist of pictures
  bool objects = false;  // samples have objects in place of a label
};

// One entry of the folder data/sets.
struct DatasetDef {
  std::string_view name;  // as in --dataset
  std::string_view help;
  std::unique_ptr<Dataset> (*open)(const DatasetSpec&) = nullptr;
  std::vector<double> mean, std;     // of the training pixels, in 0..1, per channel or one for all
  std::vector<std::string> augment;  // default augmentations of training
  std::string_view default_folder = {};  // where the files are without --data-dir
  bool has_files = true;                 // false: it reads no folder
  bool has_pictures = false;             // encoded pictures of any size: image size, crop … apply
  bool upright = false;                  // pictures are turned by their EXIF data by default
  std::string_view crop = "random-resized", eval_crop = "centre";  // default views of pictures
  // Makes the files in a folder that does not exist, and returns a text about them for people;
  // null: they come from elsewhere.
  std::string (*make_files)(const fs::path& folder, ThreadPool& pool) = nullptr;
  bool may_be_whole = false;  // --val-share takes evaluation from a folder without splits
  bool (*is_in)(const fs::path& folder) = nullptr;  // whether its files are there; null: never
  std::vector<std::string_view> path_words = {};    // lower case; in the paths of its folders
  PublishedSize published = {};
};

const std::vector<DatasetDef>& dataset_catalog();

// An unknown name is a usage error that names the nearest one.
const DatasetDef& find_dataset(std::string_view name);

// The default folder: the set's own, else the variable DATA_DIR; empty: neither is set.
std::string usual_folder(const DatasetDef& def);

// Opens one split of a set; reads and checks all of its index here. A problem with the folder
// itself is reported first (data/sources/data_folder.h).
std::unique_ptr<Dataset> open_dataset(std::string_view name, DatasetSpec spec);

// The dataset whose files are in a folder; nothing: none is recognised. Of several, the one whose
// path words the path has (the longest word counts), else the one without such words.
std::optional<std::string> recognise_dataset(const fs::path& folder);

// The dataset of a folder: by its files, else by the words in its path. If neither tells,
// Fault::data describes the problem.
std::string infer_dataset(const std::string& path);

}  // namespace convoy
