// Preloaded into the program: lets the n-th of its operations on files below a folder fail, or end
// the process there, or the power with it; or lets the n-th allocation fail. By the environment:
//
//   FAULTS_FOLDER  only files below it count (an absolute path)
//   FAULTS_AT      n, from 1; 0: nothing happens
//   FAULTS_DO      errno as a number: the operation fails with it, once
//                  full: this and all later operations that need room fail with ENOSPC
//                  kill: the process is killed just before it
//                  cut: likewise, and what was not fsynced by then is lost, names too; FAULTS_COUNT
//                  gets what the link FAULTS_LINK pointed to before
//                  allocation: the n-th allocation after main has begun fails, files do not
//                  aligned: likewise, of those alone that ask for an alignment: oneDNN's
//   FAULTS_COUNT   a file that gets the number of operations (or allocations) when the process ends
//
// Operations: open, write, fsync, rename, truncate, mkdir, symlink.

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>

#include "unsynced.h"

namespace {

template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

const char* setting(const char* name) {
  const char* text = ::getenv(name);
  return text ? text : "";
}

struct Plan {
  std::string folder = setting("FAULTS_FOLDER");
  long at = ::atol(setting("FAULTS_AT"));
  std::string what = setting("FAULTS_DO");
  std::string count = setting("FAULTS_COUNT");
  bool allocations = what == "allocation" || what == "aligned";
  bool only_aligned = what == "aligned";
};

const Plan& plan() {
  static const Plan all;
  return all;
}

std::atomic<long> operations{0}, allocations{0};
std::atomic<bool> main_has_begun{false}, counts_allocations{false}, counts_aligned{false};
std::atomic<long> failing_allocation{0};

bool is_below(const std::string& path) {
  const std::string& folder = plan().folder;
  return !folder.empty() && path.starts_with(folder) && path.size() > folder.size() &&
         path[folder.size()] == '/';
}

std::string path_of(int descriptor) {
  char link[64], target[4096];
  ::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = ::readlink(link, target, sizeof target);
  return length > 0 ? std::string(target, static_cast<size_t>(length)) : std::string();
}

void tell_link() {
  char target[4096];
  const ssize_t length = ::readlink(setting("FAULTS_LINK"), target, sizeof target);
  if (FILE* file = ::fopen(plan().count.c_str(), "w")) {
    ::fwrite(target, 1, length > 0 ? static_cast<size_t>(length) : 0, file);
    ::fclose(file);
  }
}

// Whether this operation is the one; errno is set where it is to fail.
bool fails(const std::string& path, bool needs_room) {
  if (!main_has_begun || plan().allocations || !is_below(path)) return false;
  const long number = ++operations;
  if (plan().at == 0 || number < plan().at) return false;
  if (plan().what == "full") {
    errno = ENOSPC;
    return needs_room;
  }
  if (number > plan().at) return false;
  if (plan().what == "cut") {
    tell_link();
    faults::lose_unsynced();
  }
  if (plan().what == "cut" || plan().what == "kill") ::kill(::getpid(), SIGKILL);
  errno = ::atoi(plan().what.c_str());
  return true;
}

bool records() { return plan().what == "cut"; }

void tell_count() {
  if (plan().count.empty()) return;
  if (FILE* file = ::fopen(plan().count.c_str(), "w")) {
    ::fprintf(file, "%ld\n", plan().allocations ? allocations.load() : operations.load());
    ::fclose(file);
  }
}

int (*real_main)(int, char**, char**) = nullptr;

int counted_main(int count, char** words, char** environment) {
  failing_allocation = plan().allocations ? plan().at : 0;
  ::atexit(tell_count);
  counts_aligned = plan().allocations;
  counts_allocations = plan().allocations && !plan().only_aligned;
  main_has_begun = true;
  return real_main(count, words, environment);
}

bool allocation_fails(bool is_aligned = false) {
  if (!counts_allocations && !(is_aligned && counts_aligned)) return false;
  if (++allocations != failing_allocation) return false;
  errno = ENOMEM;
  return true;
}

int opened(const char* path, int flags, mode_t mode) {
  static auto* const next = real<int(int, const char*, int, ...)>("openat");
  const bool creates = (flags & O_CREAT) != 0;
  if (fails(path, creates)) return -1;
  const bool is_new = records() && creates && is_below(path) && ::access(path, F_OK) != 0;
  const int file = next(AT_FDCWD, path, flags, mode);
  if (file >= 0 && is_new) faults::note_created(path);
  return file;
}

}  // namespace

extern "C" {

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t bytes) { return allocation_fails() ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) {
  return allocation_fails() ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* old, size_t bytes) {
  return allocation_fails() ? nullptr : __libc_realloc(old, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  return allocation_fails(true) ? nullptr : __libc_memalign(alignment, bytes);
}
int posix_memalign(void** place, size_t alignment, size_t bytes) {
  if (allocation_fails(true)) return ENOMEM;
  *place = __libc_memalign(alignment, bytes);
  return *place ? 0 : ENOMEM;
}

int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*init)(),
                      void (*fini)(), void (*loader_fini)(), void* stack_end) {
  using Start =
      int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  return real<Start>("__libc_start_main")(counted_main, count, words, init, fini, loader_fini,
                                          stack_end);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return opened(path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t count) {
  static auto* const next = real<ssize_t(int, const void*, size_t)>("write");
  if (plan().folder.empty()) return next(file, bytes, count);
  const int before = errno;
  const std::string path = path_of(file);
  if (fails(path, true)) return -1;
  if (records() && is_below(path)) faults::note_written(path);
  errno = before;
  return next(file, bytes, count);
}

int fsync(int file) {
  static auto* const next = real<int(int)>("fsync");
  const std::string path = path_of(file);
  if (fails(path, true)) return -1;
  const int result = next(file);
  if (result == 0 && records() && is_below(path + "/")) faults::note_synced(path);
  return result;
}

int rename(const char* from, const char* to) {
  static auto* const next = real<int(const char*, const char*)>("rename");
  if (fails(to, false)) return -1;
  if (records() && is_below(to)) return faults::renamed(from, to, next);
  return next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  using F = int(int, const char*, int, const char*, unsigned);
  static auto* const next = real<F>("renameat2");
  if (fails(to, false)) return -1;
  const int result = next(from_folder, from, to_folder, to, flags);
  if (result == 0 && records() && is_below(to)) faults::note_exchanged(from, to);
  return result;
}

int truncate(const char* path, off_t length) {
  static auto* const next = real<int(const char*, off_t)>("truncate");
  if (fails(path, false)) return -1;
  return next(path, length);
}

int ftruncate(int file, off_t length) {
  static auto* const next = real<int(int, off_t)>("ftruncate");
  if (fails(path_of(file), false)) return -1;
  return next(file, length);
}

int mkdir(const char* path, mode_t mode) {
  static auto* const next = real<int(const char*, mode_t)>("mkdir");
  if (fails(path, true)) return -1;
  const int result = next(path, mode);
  if (result == 0 && records() && is_below(path)) faults::note_created(path);
  return result;
}

int symlink(const char* target, const char* path) {
  static auto* const next = real<int(const char*, const char*)>("symlink");
  if (fails(path, true)) return -1;
  const int result = next(target, path);
  if (result == 0 && records() && is_below(path)) faults::note_created(path);
  return result;
}

}  // extern "C"
