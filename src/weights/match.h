// Which tensor of a file is which of a model: prefixes that all names carry are stripped, names of
// other libraries translated (the folder weights/renames), what is no weight is left aside. Nothing
// is copied here.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weights/weight_file.h"

namespace convoy {

// What a model has a place for.
struct Wanted {
  std::string name;
  Shape shape;
  bool head = false;  // its first dimension is the number of classes
  bool stem = false;  // its second one is the number of the images' channels
};

// How a tensor of a file lies, other than ours.
enum class Arrangement : uint8_t {
  same,
  hwio,  // a convolution of TensorFlow; ours is OIHW
  hwim,  // a depthwise one: [h, w, channels, multiplier]; ours is [channels * multiplier, 1, h, w]
  in_out,  // a dense layer of TensorFlow; ours is [out, in]
};
Shape arranged(const Shape& shape, Arrangement from);

// What a tensor of a file is here.
struct Renamed {
  std::string name;
  Arrangement arrangement = Arrangement::same;
  // Where our channels lie in the file, once arranged: along the first dimension, and along the
  // second. Empty: in our order.
  std::vector<int64_t> out_order = {}, in_order = {};
};
// Copies an f32 tensor into ours; `into` has as many elements.
void copy_renamed(const TensorEntry& tensor, const Renamed& how, std::span<float> into);

using Renames = std::map<std::string, Renamed>;  // by the file's names

// Options of a verb (`mean`), with their values.
using KnownOptions = std::vector<std::pair<std::string, std::string>>;

// One entry of the folder weights/renames.
struct WeightRename {
  std::string_view name;  // for people: whose names these are
  // Our names for those of a file. What is left out keeps its name; nothing at all: the file is
  // none of that library, or cannot belong to a model that wants this.
  Renames (*rename)(std::span<const std::string> names, std::span<const Wanted> wanted) = nullptr;
  // Where the names and shapes leave no doubt which published weights these are: the model, data
  // and preprocessing they were trained with, which the file itself does not say. Else nothing.
  KnownOptions (*trained_with)(const std::map<std::string, Shape>& tensors) = nullptr;
};

const std::vector<WeightRename>& weight_rename_catalog();

// Whether a head of another number of classes may stay as it was initialised, and the first
// convolution be made to fit images of other channels; `is_new`: the head stays so in any case.
enum class HeadPolicy { must_fit, may_be_new, is_new };

// The first convolution [out, from, ...] for images of `into`'s channels [out, to, ...]. One
// channel of three: their sum, the same as grey pictures with three equal channels. More: repeated,
// and as strong in all as before.
void copy_recoloured(std::span<const float> from, const Shape& shape, std::span<float> into,
                     const Shape& wanted);

// Points into the file and the wanted list that it was made from.
struct Match {
  struct Pair {
    const Wanted* wanted;
    const TensorEntry* source;
    Renamed how;
  };
  struct Different {
    const Wanted* wanted;
    DType dtype;
    Shape shape;  // in the file, arranged as ours
  };
  size_t wanted = 0;  // how many tensors the model has
  std::vector<Pair> pairs;
  std::vector<Different> different;
  std::vector<Pair> recoloured;  // the first convolution, of images of other channels
  std::vector<const Wanted*> missing;
  std::vector<std::string> unused;  // the file's names of what the model has no place for
  std::string_view rename;          // whose names were translated; empty: none were

  // Every tensor that is different belongs to the head, and differs in the number of classes alone.
  bool only_classes_differ() const;
  bool fits(HeadPolicy policy) const;
  // "318 of 320 tensors; new: fc.weight, fc.bias (1000 → 12)"
  std::string verdict() const;
};

// How many tensors of the file want a place: all but counters and what optimisers keep.
size_t tensors_to_match(const WeightFile& file);

// What is known of a file through the table of renames; `whose` is the entry's name.
struct KnownTraining {
  std::string_view whose;
  KnownOptions options;  // empty: nothing is known
};
KnownTraining known_training(const WeightFile& file);

// The translation under which most tensors fit.
Match match_weights(const WeightFile& file, std::span<const Wanted> wanted);

}  // namespace convoy
