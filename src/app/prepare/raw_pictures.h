// Pictures as published: files in folders, or members of tars, each with its class. Finding them
// reads only names and sizes; the pictures are read later, one by one, by any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/files/random_file.h"
#include "base/threads/thread_pool.h"

namespace convoy {

struct RawPicture {
  std::string class_name;  // empty: not known yet
  std::string name;        // file name without folders
  // "FOLDER/", or "TAR: " with its inner tar; shared between pictures, since there may be a
  // million.
  std::shared_ptr<const std::string> within;
  uint64_t bytes = 0;
  uint64_t offset = 0;                    // in the tar
  std::shared_ptr<const RandomFile> tar;  // null: a separate file

  // The file, or its position in a tar.
  std::string path() const { return *within + name; }
};

// An unreadable picture is Fault::data naming the path.
std::string read_raw(const RawPicture& picture);

struct RawPictures {
  std::vector<RawPicture> pictures;  // by class and name
  int64_t passed_over = 0;           // files whose names are not those of pictures
  bool has_classes = true;           // false: a single folder or tar without classes
};

// Pictures of a folder: in folders named by their classes (at any depth), or directly in it.
RawPictures raw_folder(const fs::path& folder, ThreadPool& pool);

// Pictures of a tar: in tars or folders named by their classes, or directly in it.
RawPictures raw_tar(const fs::path& tar, ThreadPool& pool);

// Sorts by class and name. Two pictures with the same class and name are Fault::data, and so is a
// class that cannot be a folder name.
void sort_raw(std::vector<RawPicture>& pictures);

}  // namespace convoy
