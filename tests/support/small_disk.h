// A disk of a given size, to run full: a tmpfs, which only root may mount.
#pragma once

#include <fmt/format.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "support/temp_folder.h"

namespace convoy::test {

class SmallDisk {
 public:
  // `files`: how many it can hold, folders and itself included; 0: any number.
  explicit SmallDisk(int kilobytes, int files = 0) {
    const std::string options = fmt::format("size={}k,nr_inodes={}", kilobytes, files);
    if (::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, options.c_str()) != 0) {
      why_not_ = fmt::format("NOT TESTED: no small disk, mount says: {}", std::strerror(errno));
    }
  }
  ~SmallDisk() {
    if (why_not_.empty()) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  void grow(int kilobytes) {
    const std::string options = fmt::format("size={}k", kilobytes);
    ::mount("tmpfs", folder_.path().c_str(), "tmpfs", MS_REMOUNT, options.c_str());
  }

  // Empty when there is one; otherwise the words for GTEST_SKIP.
  const std::string& why_not() const { return why_not_; }
  const fs::path& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
  std::string why_not_;
};

}  // namespace convoy::test
