// Pictures as they were published: files in folders, or members of tars, each with its class.
// Finding them reads names and sizes only; the pictures are read one by one, by any thread.
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
  std::string name;        // of the file, without folders
  // "FOLDER/", or "TAR: " and its inner tar; shared by neighbours, for there are a million.
  std::shared_ptr<const std::string> within;
  uint64_t bytes = 0;
  uint64_t offset = 0;                    // in the tar
  std::shared_ptr<const RandomFile> tar;  // null: a file of its own

  // The file, or where it is in a tar.
  std::string path() const { return *within + name; }
};

// What cannot be read is Fault::data naming the path.
std::string read_raw(const RawPicture& picture);

struct RawPictures {
  std::vector<RawPicture> pictures;  // by class and name
  int64_t passed_over = 0;           // files that are no pictures by their name
  bool has_classes = true;           // false: one folder, or one tar, without any classes
};

// Pictures of a folder: in folders named by their classes, also deeper there, or right in it.
RawPictures raw_folder(const fs::path& folder, ThreadPool& pool);

// Pictures of a tar: in tars named by their classes, in folders named so, or right in it.
RawPictures raw_tar(const fs::path& tar, ThreadPool& pool);

// Sorts by class and name. Two pictures with both the same are Fault::data, as is a class that
// cannot be the name of a folder.
void sort_raw(std::vector<RawPicture>& pictures);

}  // namespace convoy
