// Finds for each tensor of a model the tensor of a weights file. Prefixes that all names share are
// removed, names of other libraries are translated (the folder weights/renames), and tensors that
// are no weights are left out. Nothing is copied here.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weights/weight_file.h"

namespace convoy {

// A tensor that the model needs.
struct Wanted {
  std::string name;
  Shape shape;
  bool head = false;  // dimension 0 is the number of classes
  bool stem = false;  // dimension 1 is the number of image channels
};

// The order of a tensor's dimensions in the file.
enum class Arrangement : uint8_t {
  same,
  hwio,    // a TensorFlow convolution; ours is OIHW
  hwim,    // depthwise: [h, w, channels, multiplier]; ours is [channels * multiplier, 1, h, w]
  in_out,  // a TensorFlow dense layer; ours is [out, in]
};
Shape arranged(const Shape& shape, Arrangement from);

// How to translate a tensor of a file: its name in our model and the order of its elements.
struct Renamed {
  std::string name;
  Arrangement arrangement = Arrangement::same;
  // Where our channels are in the file (after arranging), along dimension 0 and dimension 1. Empty:
  // in our order.
  std::vector<int64_t> out_order = {}, in_order = {};
};
// Copies an f32 tensor in our layout; `into` has the same number of elements.
void copy_renamed(const TensorEntry& tensor, const Renamed& how, std::span<float> into);

using Renames = std::map<std::string, Renamed>;  // by name in the file

// Options of a verb (`mean`) with their values.
using KnownOptions = std::vector<std::pair<std::string, std::string>>;

// One entry of the folder weights/renames: the names of one library.
struct WeightRename {
  std::string_view name;  // the library's name, for messages
  // Maps names of a file to ours; names left out stay as they are, and an empty name says that the
  // tensor is not needed. An empty result: the file is not from this library, or does not fit a
  // model with these tensors.
  Renames (*rename)(std::span<const std::string> names, std::span<const Wanted> wanted) = nullptr;
  // If names and shapes identify certain published weights: the model, data and preprocessing that
  // they were trained with, which the file does not contain. Otherwise empty.
  KnownOptions (*trained_with)(const std::map<std::string, Shape>& tensors) = nullptr;
  // For files that hold only a part of a model: whether one of our tensors is in that part. The
  // others keep their initial values. Absent: the file holds the whole model.
  bool (*is_part)(std::string_view ours) = nullptr;
};

const std::vector<WeightRename>& weight_rename_catalog();

// must_fit: all tensors must fit. may_be_new: a head with another number of classes and what lies
// outside of a part (WeightRename::is_part) keep their initial values, and the first convolution is
// adapted to images with another number of channels.
// is_new: the same, and the head keeps its initial values in any case.
enum class HeadPolicy { must_fit, may_be_new, is_new };

// Adapts the first convolution [out, from, ...] to another number of image channels, [out, to,
// ...]. From three channels to one: their sum, which equals feeding a grey picture as three equal
// channels. To more channels: the weights are repeated and scaled so that the response keeps its
// strength.
void copy_recoloured(std::span<const float> from, const Shape& shape, std::span<float> into,
                     const Shape& wanted);

// The result of matching. It points into the file and the list of wanted tensors.
struct Match {
  struct Pair {
    const Wanted* wanted;
    const TensorEntry* source;
    Renamed how;
  };
  struct Different {
    const Wanted* wanted;
    DType dtype;
    Shape shape;  // of the file's tensor, arranged as ours
  };
  size_t wanted = 0;  // number of tensors of the model
  std::vector<Pair> pairs;
  std::vector<Different> different;
  std::vector<Pair> recoloured;  // the first convolution, if the image channels differ
  std::vector<const Wanted*> missing;
  std::vector<std::string> unused;  // names in the file that the model does not need
  // If the file holds a part of the model: what is outside of that part, in the model and in the
  // file.
  std::vector<const Wanted*> fresh;
  std::vector<std::string> left_out;
  std::string_view rename;  // whose names were translated; empty: not translated

  // Whether all tensors of different shape belong to the head and differ only in the number of
  // classes.
  bool only_classes_differ() const;
  bool fits(HeadPolicy policy) const;
  // "318 of 320 tensors; new: fc.weight, fc.bias (1000 → 12)"
  std::string verdict() const;
};

// The number of tensors that should find a place in a model: all but counters and optimizer state.
size_t tensors_to_match(const WeightFile& file);

// What the entries of weights/renames know of a file; `whose` is the name of the entry.
struct KnownTraining {
  std::string_view whose;
  KnownOptions options;  // empty: nothing is known
};
KnownTraining known_training(const WeightFile& file);

// Uses the translation with which most tensors fit.
Match match_weights(const WeightFile& file, std::span<const Wanted> wanted);

}  // namespace convoy
