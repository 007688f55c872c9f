// The two splits of a set of pictures as it was published, and its classes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/prepare/raw_pictures.h"

namespace convoy {

struct RawSplits {
  std::vector<RawPicture> train, validation;  // by class and name; either may be empty
  std::vector<std::string> classes;           // sorted
  int64_t passed_over = 0;                    // files that are no pictures by their name

  // The place of a class in `classes`.
  int64_t label(const std::string& class_name) const;
};

struct RawSplitsSpec {
  fs::path input;
  fs::path synsets;            // a list of the classes; empty: a usual one in `input`, or all found
  fs::path validation_labels;  // empty: a usual one in `input`
  double val_share = 0;        // above 0: `input` has folders of classes, to be split
  uint64_t seed = 0;           // of that split
};

// Whether `find_splits` would look into a folder of this name.
bool is_split_name(std::string_view name);

// Found in the input: ILSVRC2012_img_train.tar or the folders train or img_train; likewise
// ILSVRC2012_img_val.tar, val, validation or img_val. Nothing, or two where one can be meant, is
// Fault::data.
RawSplits find_splits(const RawSplitsSpec& spec, ThreadPool& pool);

}  // namespace convoy
