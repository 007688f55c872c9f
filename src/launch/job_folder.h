// Where Open MPI keeps the files of a job on this host: in folders of our own, which are removed
// with everything in them at the end, and by the next launch where this one was killed. By itself
// it would leave them in /dev/shm and the temporary folder whenever mpirun is killed.
//
// Only for a job whose ranks are all on this host: the folders are not made on others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "launch/child_process.h"
#include "launch/topology.h"

namespace convoy {

// A folder that is locked while the process that made it, or one it started, runs.
class LockedFolder {
 public:
  // A new one in `parent`. Where that is not possible, `path` is empty.
  explicit LockedFolder(const fs::path& parent);
  // Removes it with all that is in it.
  ~LockedFolder();
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;

  const fs::path& path() const { return path_; }

  // Removes those in `parent` that are this user's and that no process has locked any more.
  static void remove_abandoned(const fs::path& parent);

 private:
  fs::path path_;
  OwnedFile lock_;
};

class JobFolder {
 public:
  // Also removes what killed launches have left.
  explicit JobFolder(const RankPlacement& placement);

  // Settings of Open MPI, which its user's own (options, OMPI_MCA_... variables) override. Ranks of
  // one host also open no TCP port to one another, where shared memory has room for all of them.
  Environment environment() const;

 private:
  int ranks_;
  std::unique_ptr<LockedFolder> session_, shared_;  // null: Open MPI's own places
};

}  // namespace convoy
