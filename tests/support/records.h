// Records of pictures, right or deliberately wrong.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/sources/picture_source.h"

namespace convoy::test {

struct RecordSpec {
  int64_t label = 1;  // counts from 1
  std::string synset, encoded;
  std::vector<Box> boxes = {};
};

// The payload of a record as ImageNet's have it. Without a synset the feature is left out.
std::string picture_record(const RecordSpec& spec);

// A file of records with these payloads.
void write_records(const fs::path& path, const std::vector<std::string>& payloads);

}  // namespace convoy::test
