#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/file_operation.h"

namespace convoy {
namespace {

// Of a slow disk a watchdog must see that it moves, so no call moves more than this.
constexpr size_t most_bytes = 16 << 20;

[[noreturn]] void fail(std::string_view what, const fs::path& path, Fault fault) {
  file_trouble(what, path, errno, fault);
}

class Descriptor {
 public:
  // `told` is the name of it in an error, where that is another: what a temporary file becomes.
  Descriptor(const fs::path& path, int flags, std::string_view what, Fault fault,
             const fs::path& told = {})
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (number_ < 0) fail(what, told.empty() ? path : told, fault);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

void rename_to(const fs::path& path, const fs::path& from, Fault fault) {
  const FileOperation operation("rename to", path);
  if (::rename(from.c_str(), path.c_str()) != 0) fail("rename to", path, fault);
}

void sync_folder(const fs::path& folder, Fault fault) {
  const fs::path path = folder.empty() ? fs::path(".") : folder;
  const FileOperation operation("sync the folder", path);
  const Descriptor file(path, O_RDONLY | O_DIRECTORY, "open", fault);
  if (::fsync(file.number()) != 0 && errno != EINVAL) fail("sync", path, fault);
}

void write_all(const fs::path& path, std::span<const std::string_view> parts, Fault fault,
               const fs::path& told) {
  const Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC, "write", fault, told);
  for (std::string_view part : parts) {
    while (!part.empty()) {
      const ssize_t written = ::write(file.number(), part.data(), part.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("write", told, fault);
      part.remove_prefix(static_cast<size_t>(written));
    }
  }
  if (::fsync(file.number()) != 0) fail("sync", told, fault);
}

}  // namespace

std::string read_file(const fs::path& path, Fault fault) {
  FileOperation operation("read", path);
  const Descriptor file(path, O_RDONLY, "read", fault);
  struct stat about {};
  if (::fstat(file.number(), &about) != 0) fail("read", path, fault);
  std::string content(static_cast<size_t>(about.st_size), '\0');
  size_t have = 0;
  while (have < content.size()) {
    const ssize_t got =
        ::read(file.number(), content.data() + have, std::min(most_bytes, content.size() - have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path, fault);
    if (got == 0) break;
    have += static_cast<size_t>(got);
    operation.advance();
  }
  content.resize(have);
  return content;
}

void write_synced(const fs::path& path, std::span<const std::string_view> parts, Fault fault) {
  FileOperation operation("write", path);
  const Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC, "write", fault);
  for (std::string_view part : parts) {
    while (!part.empty()) {
      const ssize_t written =
          ::write(file.number(), part.data(), std::min(most_bytes, part.size()));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("write", path, fault);
      part.remove_prefix(static_cast<size_t>(written));
      operation.advance();
      // Begins to reach the disk now, so that the end is not one long wait.
      if (static_cast<size_t>(written) == most_bytes) {
        (void)::sync_file_range(file.number(), 0, 0, SYNC_FILE_RANGE_WRITE);
      }
    }
  }
  operation.advance("sync");
  if (::fsync(file.number()) != 0) fail("sync", path, fault);
}

void write_atomically(const fs::path& path, std::string_view content, Fault fault) {
  write_atomically(path, std::span(&content, 1), fault);
}

void write_atomically(const fs::path& path, std::span<const std::string_view> parts, Fault fault) {
  const fs::path temporary = path.parent_path() / ("." + path.filename().string() + ".tmp");
  try {
    write_synced(temporary, parts, fault);
    rename_to(path, temporary, fault);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_folder(path.parent_path(), fault);
}

void commit_folder(const fs::path& temporary, const fs::path& final_path, Fault fault) {
  sync_folder(temporary, fault);
  replace_file(temporary, final_path, fault);
}

void replace_file(const fs::path& from, const fs::path& to, Fault fault) {
  rename_to(to, from, fault);
  sync_folder(to.parent_path(), fault);
}

void replace_link(const fs::path& link, const fs::path& target, Fault fault) {
  const fs::path temporary = link.parent_path() / ("." + link.filename().string() + ".tmp");
  const FileOperation operation("link", link);
  ::unlink(temporary.c_str());
  if (::symlink(target.c_str(), temporary.c_str()) != 0) fail("link", temporary, fault);
  if (::rename(temporary.c_str(), link.c_str()) != 0) fail("rename to", link, fault);
}

void sync_file(const fs::path& path, Fault fault) {
  const FileOperation operation("sync", path);
  const Descriptor file(path, O_RDONLY, "open", fault);
  if (::fsync(file.number()) != 0) fail("sync", path, fault);
}

void make_folders(const fs::path& path, Fault fault) {
  const FileOperation operation("create the folder", path);
  std::error_code code;
  fs::create_directories(path, code);
  if (code) {
    errno = code.value();
    fail("create the folder", path, fault);
  }
}

std::string hash_hex(uint64_t hash) { return fmt::format("{:016x}", hash); }

uint64_t hash_bytes(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint64_t hash_parts(std::span<const std::string_view> parts) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  expect(state && XXH3_64bits_reset(state.get()) == XXH_OK, "xxHash has no memory");
  for (const std::string_view part : parts)
    XXH3_64bits_update(state.get(), part.data(), part.size());
  return XXH3_64bits_digest(state.get());
}

}  // namespace convoy
