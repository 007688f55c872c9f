#include "train/run_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/process.h"

namespace convoy {
namespace {

[[noreturn]] void cannot_write(const fs::path& where, int reason) {
  if (reason == ENOSPC || reason == EDQUOT) {
    raise(Fault::no_space,
          "cannot create {}: {}; try: free some disk space, or --output on another disk",
          where.string(), std::strerror(reason));
  }
  raise(Fault::usage,
        "cannot write to the run directory {}: {}; try: --output DIR that you may write to",
        where.string(), std::strerror(reason));
}

void make_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0777) != 0) cannot_write(path, errno);
}

void check_is_run(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path / "args.yml", ignored)) return;
  if (!fs::exists(path, ignored)) {
    raise(Fault::checkpoint, "no run directory {}; try: the folder that `convoy train` named",
          path.string());
  }
  // A checkpoint or a file of the run was given.
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
    : descriptor_(::open((run_dir / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) cannot_write(run_dir, errno);
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
  // Only for the message above: without it that one is vaguer.
  if (::ftruncate(descriptor_, 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(descriptor_, owner.data(), owner.size(), 0);
  }
}

RunLock::RunLock(RunLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), held_(std::exchange(other.held_, false)) {}

RunLock::~RunLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

RunDir RunDir::create(const fs::path& output, const std::string& name) {
  if (name.empty() || name.front() == '.' || name.find('/') != name.npos ||
      name.find('\n') != name.npos) {
    raise(Fault::usage,
          "name {:?} is no folder name; try: letters, digits, - and _ (the place is --output)",
          name);
  }
  std::error_code code;
  fs::create_directories(output, code);
  if (code) cannot_write(output, code.value());
  for (int number = 1;; ++number) {
    fs::path path = output / (number == 1 ? name : fmt::format("{}-{}", name, number));
    // mkdir is the race: exactly one process wins a name.
    if (::mkdir(path.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      cannot_write(path, errno);
    }
    RunDir run(std::move(path));
    run.lock_.emplace(run.path_);
    make_folder(run.checkpoints());
    make_folder(run.weights());
    return run;
  }
}

RunDir RunDir::open(const fs::path& path) {
  RunDir run = look(path);
  run.lock_.emplace(path);
  for (const fs::path& folder : {run.checkpoints(), run.weights()}) {
    if (!fs::is_directory(folder)) make_folder(folder);
  }
  return run;
}

RunDir RunDir::look(const fs::path& path) {
  check_is_run(path);
  return RunDir(path);
}

const std::vector<std::string>& run_logs() {
  static const std::vector<std::string> names{"log.txt", "metrics.jsonl", "summary.csv"};
  return names;
}

}  // namespace convoy
