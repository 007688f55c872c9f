// A small set of pictures as ImageNet was published, to be prepared: tars or folders.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/process.h"

namespace convoy::test {

struct RawFile {
  std::string class_name, name, content;
};

struct RawSet {
  std::vector<RawFile> train, validation;  // validation: by name

  // `classes` n00000001 … with `each` pictures to train and two to validate. One training picture
  // is a PNG by the name of a JPEG, as one of ImageNet's.
  RawSet(int classes, int each);

  // ILSVRC2012_img_train.tar of tars, and ILSVRC2012_img_val.tar with its list of synsets.
  void write_tars(const fs::path& folder) const;
  // train/CLASS/… and val/CLASS/…
  void write_folders(const fs::path& folder) const;
};

// Path below the folder -> content; hidden files too, but not the lock.
std::map<std::string, std::string> files_below(const fs::path& folder);

}  // namespace convoy::test
