// The two splits of a published set of pictures, and its classes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/prepare/raw_pictures.h"

namespace convoy {

struct RawSplits {
  std::vector<RawPicture> train, validation;  // by class and name; may be empty
  std::vector<std::string> classes;           // sorted
  int64_t passed_over = 0;                    // files whose names are not those of pictures

  // The index of a class in `classes`.
  int64_t label(const std::string& class_name) const;
};

struct RawSplitsSpec {
  fs::path input;
  fs::path synsets;            // list of the classes; empty: a usual file in `input`, or all found
  fs::path validation_labels;  // empty: a file with a usual name in `input`
  double val_share = 0;        // above 0: `input` has class folders, to be split
  uint64_t seed = 0;           // of that split
};

// Whether `find_splits` reads a folder of this name.
bool is_split_name(std::string_view name);

// Looks in the input for ILSVRC2012_img_train.tar or the folders train or img_train, and for
// ILSVRC2012_img_val.tar, val, validation or img_val. If there is none, or two candidates for one
// split: Fault::data.
RawSplits find_splits(const RawSplitsSpec& spec, ThreadPool& pool);

}  // namespace convoy
