#include "base/files/file_operation.h"

#include <atomic>
#include <mutex>

namespace convoy {
namespace {

// Running operations, from the oldest to the newest.
struct Register {
  std::mutex mutex;
  FileOperation *oldest = nullptr, *newest = nullptr;
  uint64_t begun = 0;
  std::atomic<uint64_t> done{0};
};

// Never destroyed: threads may still write while the program ends.
Register& all() {
  static Register& only = *new Register;
  return only;
}

}  // namespace

FileOperation::FileOperation(const char* verb, const std::filesystem::path& path)
    : verb_(verb), path_(path) {
  const std::scoped_lock lock(all().mutex);
  enter();
}

FileOperation::~FileOperation() {
  const std::scoped_lock lock(all().mutex);
  leave();
}

void FileOperation::advance() { advance(verb_); }

void FileOperation::advance(const char* verb) {
  const std::scoped_lock lock(all().mutex);
  leave();
  verb_ = verb;
  enter();
}

void FileOperation::enter() {
  Register& those = all();
  number_ = ++those.begun;
  older_ = those.newest;
  newer_ = nullptr;
  (older_ ? older_->newer_ : those.oldest) = this;
  those.newest = this;
}

void FileOperation::leave() {
  Register& those = all();
  (older_ ? older_->newer_ : those.oldest) = newer_;
  (newer_ ? newer_->older_ : those.newest) = older_;
  ++those.done;
}

std::optional<FileWait> oldest_file_operation() {
  const std::scoped_lock lock(all().mutex);
  const FileOperation* oldest = all().oldest;
  if (!oldest) return {};
  return FileWait{oldest->number_, oldest->verb_, oldest->path_.string()};
}

uint64_t oldest_file_number() {
  const std::scoped_lock lock(all().mutex);
  return all().oldest ? all().oldest->number_ : 0;
}

uint64_t file_operations_done() { return all().done; }

// Allocates nothing as long as nothing stalls (tests/engine).
std::optional<FileWait> FileStall::look(double now, double limit_s) {
  const uint64_t number = oldest_file_number();
  if (number != number_) {
    number_ = number;
    since_ = now;
  }
  if (!number || now - since_ < limit_s) return {};
  const std::optional<FileWait> wait = oldest_file_operation();
  return wait && wait->number == number ? wait : std::nullopt;
}

}  // namespace convoy
