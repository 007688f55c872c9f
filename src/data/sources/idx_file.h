// The IDX format of the MNIST family: a magic number, big-endian dimensions, then bytes.
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

// Reads `stem` or `stem`.gz in `folder`. `source` says where the file comes from, for the error
// when there is none ("apt install …"). Anything but bytes of that rank in exactly the promised
// number is Fault::data.
IdxFile read_idx(const fs::path& folder, const std::string& stem, int rank,
                 const std::string& source);

}  // namespace convoy
