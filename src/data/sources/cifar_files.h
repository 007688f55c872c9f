// Reads the binary files of CIFAR-10 and CIFAR-100: records of one or two label bytes and 3x32x32
// pixels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/dataset.h"

namespace convoy {

struct CifarFile {
  std::string name;
  int64_t records;  // in the official release
  bool train;
};

struct CifarFormat {
  std::vector<CifarFile> files;
  std::string folder;  // the archive's own folder, searched below the data folder
  int label_bytes;     // per record; the last one is used
  std::vector<std::string> names;
};

// Whether one of the set's files is in the folder, or in the archive's folder inside it.
bool has_cifar(const CifarFormat& format, const fs::path& folder);

// Reads the files of one split from `data_dir` or the archive's folder in it. A file must be a
// whole number of records. If any file of the set has its official length, all must have it: this
// detects a truncated download but accepts a small set made by hand.
std::unique_ptr<Dataset> open_cifar(const CifarFormat& format, const std::string& data_dir,
                                    bool train);

}  // namespace convoy
