// The numbers that COCO gives to pictures and categories, for files of results.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/files/file.h"

namespace convoy {

class CocoIds {
 public:
  // `names`: of the network's classes, of which 0 is the background; empty: unknown. `annotations`:
  // COCO's file with pictures and categories; empty: none. With it, names that it does not have, or
  // unknown names and another number of categories, are Fault::data. Without it the categories are
  // COCO's 80 if all names are among them, or if there are 80 without names; otherwise a category
  // has the number of its class.
  CocoIds(const std::vector<std::string>& names, int64_t classes, const fs::path& annotations);

  // Whether the categories' numbers are COCO's or from the annotations.
  bool are_known() const { return are_known_; }
  // Of class `label`, from 1.
  int64_t category(int64_t label) const { return categories_[static_cast<size_t>(label - 1)]; }
  const std::string& name(int64_t label) const { return names_[static_cast<size_t>(label - 1)]; }
  // The picture's number: from the annotations, by its file name without folders, or the file name
  // itself if it is a number (000000000139.jpg). None is Fault::data.
  int64_t image(const std::string& file) const;

 private:
  bool are_known_ = true;
  std::vector<int64_t> categories_;
  std::vector<std::string> names_;
  std::string annotations_;
  std::map<std::string, int64_t> images_;  // by file name
};

}  // namespace convoy
