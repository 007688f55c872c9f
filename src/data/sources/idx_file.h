// Reads the IDX format of the MNIST family: a magic number, big-endian dimensions, then bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/file.h"

namespace convoy {

struct IdxFile {
  std::string path;           // the file that was read
  std::vector<int64_t> dims;  // `rank` of them
  std::vector<uint8_t> data;  // their product
};

// Reads `stem` or `stem`.gz in `folder`. `source` tells where to get a missing file ("apt install
// …"). Any other element type or rank, or another number of bytes, is Fault::data.
IdxFile read_idx(const fs::path& folder, const std::string& stem, int rank,
                 const std::string& source);

}  // namespace convoy
