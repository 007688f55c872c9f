#include "train/run/run_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/files/temporary_name.h"
#include "base/process.h"

namespace convoy {
namespace {

// Problems that another --output solves are the user's (Fault::usage); a failing disk is not.
[[noreturn]] void cannot_write(const fs::path& where, int reason,
                               const char* advice = "--output DIR that you may write to") {
  const bool fails = reason == EIO || reason == ESTALE || reason == EUCLEAN;
  raise_file_error("write to the run directory", where, reason,
                   fails ? Fault::checkpoint : Fault::usage, advice);
}

// Advice for an existing run: resume has no --output.
constexpr const char* own_or_copy = "as a user who may write there, or resume a copy of it";

fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

void make_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0777) != 0) cannot_write(path, errno);
}

// Makes new names in a folder survive a power cut, as far as we may read the folder.
void sync_names(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0 && errno == EACCES) return;
  const bool is_synced = file >= 0 && (::fsync(file) == 0 || errno == EINVAL);
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (!is_synced) cannot_write(folder, reason);
}

void check_is_run(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path / "args.yml", ignored)) return;
  if (!fs::exists(path, ignored)) {
    raise(Fault::checkpoint, "no run directory {}; try: the folder that `convoy train` named",
          path.string());
  }
  // The path may be a checkpoint or a file of the run: look for the run above it.
  for (fs::path up = fs::absolute(path, ignored).lexically_normal(); up.has_relative_path();
       up = up.parent_path()) {
    if (fs::exists(up / "args.yml", ignored)) {
      raise(Fault::checkpoint, "{} is not a run directory; try: {}, the run it belongs to",
            path.string(), up.string());
    }
  }
  raise(Fault::checkpoint,
        "{} is not a run directory: it has no args.yml; try: the folder that `convoy "
        "train` named",
        path.string());
}

}  // namespace

RunLock::RunLock(const fs::path& run_dir)
    : descriptor_(::open((run_dir / ".lock").c_str(),
                         O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0 && errno == ELOOP) {
    raise(Fault::usage, "{} is a link, and a lock is never taken through one; try: remove it",
          (run_dir / ".lock").string());
  }
  if (descriptor_ < 0) cannot_write(run_dir, errno, own_or_copy);
  int failed = 0;
  do {
    failed = ::flock(descriptor_, LOCK_EX | LOCK_NB);
  } while (failed != 0 && errno == EINTR);
  if (failed != 0 && errno == EWOULDBLOCK) {
    std::array<char, 300> owner{};
    const ssize_t got = ::pread(descriptor_, owner.data(), owner.size() - 1, 0);
    ::close(descriptor_);
    std::string who(owner.data(), got > 0 ? static_cast<size_t>(got) : 0);
    while (!who.empty() && who.back() == '\n') who.pop_back();
    raise(Fault::usage, "{} is in use by {}; try: wait for its end, or another folder",
          run_dir.string(), who.empty() ? "another process" : who);
  }
  if (failed != 0) return;
  held_ = true;
  const std::string owner = fmt::format("process {} on {}\n", ::getpid(), host_name());
  // The owner is only used in the message above, so a write error is ignored.
  if (::ftruncate(descriptor_, 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(descriptor_, owner.data(), owner.size(), 0);
  }
}

RunLock::RunLock(RunLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), held_(std::exchange(other.held_, false)) {}

RunLock::~RunLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

HeldFolder::HeldFolder(const fs::path& path)
    : path_(without_slash(fs::absolute(path).lexically_normal())),
      descriptor_(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) cannot_write(path, errno, own_or_copy);
}

HeldFolder::HeldFolder(HeldFolder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

HeldFolder::~HeldFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool HeldFolder::is_in_place() const { return is_at(path_, true); }

bool HeldFolder::is_at(const fs::path& path, bool unless_known) const {
  struct stat held {
  }, there{};
  if (::fstat(descriptor_, &held) != 0) return unless_known;
  if (::stat(path.c_str(), &there) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? false : unless_known;
  }
  return held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

std::optional<fs::path> HeldFolder::place() const {
  std::error_code code;
  fs::path now = fs::read_symlink(fmt::format("/proc/self/fd/{}", descriptor_), code);
  if (code || !is_at(now, false)) return std::nullopt;
  return now;
}

void HeldFolder::remove(const char* name) const {
  if (::unlinkat(descriptor_, name, 0) != 0 && errno == EISDIR) {
    ::unlinkat(descriptor_, name, AT_REMOVEDIR);
  }
}

void HeldFolder::remove_itself() const {
  if (is_at(path_, false)) ::rmdir(path_.c_str());
}

RunDir RunDir::create(const fs::path& output, const std::string& name) {
  if (name.empty() || name.front() == '.' || name.find('/') != name.npos ||
      name.find('\n') != name.npos) {
    raise(Fault::usage,
          "name {:?} is no folder name; try: letters, digits, - and _ (the place is --output)",
          name);
  }
  std::error_code code;
  fs::path old = without_slash(fs::absolute(output).lexically_normal());
  std::vector<fs::path> grown{old};  // folders that get a new entry
  for (; !fs::exists(old, code) && old.has_relative_path(); grown.push_back(old)) {
    old = old.parent_path();
  }
  fs::create_directories(output, code);
  if (code) cannot_write(output, code.value());
  for (int number = 1;; ++number) {
    fs::path path = output / (number == 1 ? name : fmt::format("{}-{}", name, number));
    // mkdir is atomic: exactly one process gets the name.
    if (::mkdir(path.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      cannot_write(path, errno);
    }
    RunDir run(std::move(path));
    run.folder_.emplace(run.path_);
    run.is_new_ = true;
    try {
      run.lock_.emplace(run.path_);
      make_folder(run.checkpoints());
      make_folder(run.weights());
      sync_names(run.path_);
      for (const fs::path& folder : grown) sync_names(folder);
    } catch (...) {
      run.take_back();
      throw;
    }
    return run;
  }
}

void RunDir::record(std::string args) {
  args_ = std::move(args);
  write_atomically(this->args(), args_, Fault::checkpoint);
}

RunDir RunDir::rescued() const {
  const fs::path& before = folder_->path();
  RunDir run = create(before.parent_path(), before.filename().string() + "-rescued");
  run.record(args_);
  return run;
}

void RunDir::take_back() const {
  if (!is_new_) return;
  for (const char* name : {"args.yml", "env.json", "sessions.jsonl", "checkpoints", "weights"}) {
    folder_->remove(name);
  }
  for (const std::string& log : run_logs()) folder_->remove(log.c_str());
  folder_->remove(".lock");
  folder_->remove_itself();
}

RunDir RunDir::open(const fs::path& path) {
  RunDir run = look(path);
  run.folder_.emplace(path);
  run.lock_.emplace(path);
  for (const fs::path& folder : {run.checkpoints(), run.weights()}) {
    if (!fs::is_directory(folder)) make_folder(folder);
  }
  for (const fs::path& folder : {run.path(), run.checkpoints(), run.weights()}) {
    remove_leftovers_in(folder);
  }
  run.args_ = read_file(run.args(), Fault::checkpoint);
  return run;
}

RunDir RunDir::look(const fs::path& path) {
  check_is_run(path);
  return RunDir(path);
}

std::vector<std::string> side_logs(const fs::path& run_dir) {
  const RunDir run = RunDir::of_another(run_dir);
  std::vector<std::string> all;
  std::error_code code;
  const auto add = [&](const fs::path& path) {
    if (fs::is_regular_file(fs::symlink_status(path, code))) {
      all.push_back(path.lexically_relative(run_dir).string());
    }
  };
  const auto each = [&](const fs::path& folder, const auto& take) {
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      take(entry->path());
    }
  };
  each(run.tensorboard(), [&](const fs::path& path) {
    if (path.filename().string().find("tfevents") != std::string::npos) add(path);
  });
  each(run.wandb(), [&](const fs::path& session) {
    each(session, [&](const fs::path& path) {
      if (path.extension() == ".wandb") add(path);
    });
  });
  add(run.mllog());
  std::ranges::sort(all);
  return all;
}

const std::vector<std::string>& run_logs() {
  static const std::vector<std::string> names{"log.txt", "metrics.jsonl", "summary.csv",
                                              "results.csv"};
  return names;
}

}  // namespace convoy
