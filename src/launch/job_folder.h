// Folders for the files that Open MPI keeps on this host during a job. They are removed at the end,
// or by the next launch if this one was killed; Open MPI alone would leave its files in /dev/shm
// and the temporary folder whenever mpirun is killed.
//
// Used only if all ranks are on this host: the folders do not exist on other hosts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "launch/child_process.h"
#include "launch/topology.h"

namespace convoy {

// A folder with a lock that is held while this process, or a process it started, runs.
class LockedFolder {
 public:
  // Makes a new folder in `parent`. If that fails, `path` is empty.
  explicit LockedFolder(const fs::path& parent);
  // Removes the folder with its content.
  ~LockedFolder();
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;

  const fs::path& path() const { return path_; }

  // Removes the folders in `parent` that belong to this user and are no longer locked.
  static void remove_abandoned(const fs::path& parent);

 private:
  fs::path path_;
  OwnedFile lock_;
};

class JobFolder {
 public:
  // Also removes folders left by killed launches.
  explicit JobFolder(const RankPlacement& placement);

  // Settings for Open MPI; the user's own (options, OMPI_MCA_... variables) override them. If
  // shared memory is large enough for all ranks of the host, they also open no TCP port to each
  // other.
  Environment environment() const;

 private:
  int ranks_;
  std::unique_ptr<LockedFolder> session_, shared_;  // null: Open MPI's default place
};

}  // namespace convoy
