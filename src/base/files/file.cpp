#include "base/files/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/files/file_operation.h"
#include "base/files/file_writer.h"
#include "base/files/regular_file.h"
#include "base/files/temporary_name.h"

namespace convoy {
namespace {

// No call writes more than this, so that a watchdog sees progress on a slow disk.
constexpr size_t most_bytes = 16 << 20;

[[noreturn]] void fail(std::string_view what, const fs::path& path, Fault fault) {
  raise_file_error(what, path, errno, fault);
}

class Descriptor {
 public:
  // O_NONBLOCK: opening a pipe does not wait for its other end.
  Descriptor(const fs::path& path, int flags, std::string_view what, Fault fault)
      : number_(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0644)) {
    if (number_ < 0) fail(what, path, fault);
  }
  explicit Descriptor(int number) : number_(number) {}
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

}  // namespace

bool write_all(int descriptor, std::string_view bytes, FileOperation& operation) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(most_bytes, bytes.size()));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
    operation.advance();
    // Starts writing to disk now, so that the final fsync is not one long wait.
    if (static_cast<size_t>(written) == most_bytes) {
      (void)::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
    }
  }
  return true;
}

std::string read_file(const fs::path& path, Fault fault) {
  FileOperation operation("read", path);
  const RegularFile regular = open_regular(path, fault);
  const Descriptor file(regular.descriptor);
  std::string content(static_cast<size_t>(regular.bytes), '\0');
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
  const Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "write", fault);
  for (const std::string_view part : parts) {
    if (!write_all(file.number(), part, operation)) fail("write", path, fault);
  }
  operation.advance("sync");
  if (::fsync(file.number()) != 0) fail("sync", path, fault);
}

void write_atomically(const fs::path& path, std::string_view content, Fault fault) {
  write_atomically(path, std::span(&content, 1), fault);
}

void write_atomically(const fs::path& path, std::span<const std::string_view> parts, Fault fault) {
  remove_leftovers_of(path);
  FileWriter writer(path, fault);
  for (const std::string_view part : parts) writer.write(part);
  writer.commit();
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
  const FileOperation operation("link", link);
  const fs::path temporary = temporary_name(link);
  if (::symlink(target.c_str(), temporary.c_str()) != 0) fail("link", link, fault);
  if (::rename(temporary.c_str(), link.c_str()) == 0) return;
  const int reason = errno;
  ::unlink(temporary.c_str());
  raise_file_error("rename to", link, reason, fault);
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

void make_new_folder(const fs::path& path, Fault fault) {
  const FileOperation operation("create the folder", path);
  if (::mkdir(path.c_str(), 0777) != 0) fail("create the folder", path, fault);
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
