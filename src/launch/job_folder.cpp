#include "launch/job_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "base/process.h"

namespace convoy {
namespace {

constexpr const char* prefix = "convoy-launch-";
constexpr const char* shared_memory = "/dev/shm";
constexpr uintmax_t bytes_per_rank = 8 << 20;  // Open MPI takes 4 MiB and requires a little more

bool is_local(const RankPlacement& placement) {
  if (placement.hosts.size() != 1) return false;
  const std::string& name = placement.hosts[0].name;
  return name == "localhost" || name == "127.0.0.1" || name == host_name();
}

fs::path temporary_folder() {
  std::error_code none;
  const fs::path path = fs::temp_directory_path(none);
  return none ? fs::path("/tmp") : path;
}

// Whether a launch that has ended left this folder: ours, not locked, and not just being made.
bool is_abandoned(const fs::path& folder) {
  struct stat about {};
  if (::lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) ||
      about.st_uid != ::geteuid()) {
    return false;
  }
  const OwnedFile file(::open((folder / "lock").c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  return file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

LockedFolder::LockedFolder(const fs::path& parent) {
  std::string pattern = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (!::mkdtemp(pattern.data())) return;
  path_ = pattern;
  // The lock file gets its final name once it is locked. Children inherit the lock: mpirun, which
  // may run a moment longer than this process, closes unknown files before it starts a rank.
  const fs::path begun = path_ / "lock.new";
  lock_.set(::open(begun.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  if (lock_.get() >= 0 && ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0 &&
      ::rename(begun.c_str(), (path_ / "lock").c_str()) == 0) {
    return;
  }
  std::error_code none;
  fs::remove_all(path_, none);
  path_.clear();
}

LockedFolder::~LockedFolder() {
  std::error_code none;
  if (!path_.empty()) fs::remove_all(path_, none);
}

void LockedFolder::remove_abandoned(const fs::path& parent) {
  std::error_code none;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(parent, none), end; !none && entry != end;
       entry.increment(none)) {
    if (entry->path().filename().string().starts_with(prefix)) found.push_back(entry->path());
  }
  for (const fs::path& folder : found) {
    if (is_abandoned(folder)) fs::remove_all(folder, none);
  }
}

JobFolder::JobFolder(const RankPlacement& placement) : ranks_(placement.ranks()) {
  for (const fs::path& parent : {temporary_folder(), fs::path(shared_memory)}) {
    LockedFolder::remove_abandoned(parent);
  }
  if (!is_local(placement)) return;
  session_ = std::make_unique<LockedFolder>(temporary_folder());
  shared_ = std::make_unique<LockedFolder>(shared_memory);
}

Environment JobFolder::environment() const {
  Environment all;
  if (session_ && !session_->path().empty()) {
    all["OMPI_MCA_orte_tmpdir_base"] = session_->path().string();
  }
  if (!shared_ || shared_->path().empty()) return all;
  all["OMPI_MCA_btl_vader_backing_directory"] = shared_->path().string();
  std::error_code none;
  const fs::space_info room = fs::space(shared_->path(), none);
  if (!none && room.available / bytes_per_rank >= static_cast<uintmax_t>(ranks_)) {
    all["OMPI_MCA_btl"] = "self,vader";
  }
  return all;
}

}  // namespace convoy
