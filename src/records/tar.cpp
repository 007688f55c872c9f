// The only user of libarchive. It gets only a window of the file, and no filters: so it never
// starts a program, and its stream offsets are file offsets.
#include "records/tar.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <memory>

namespace convoy {
namespace {

constexpr const char* advice = "try: fetch it again and compare its size or checksum";
constexpr size_t window_bytes = 4096;  // headers are far apart: more would read pictures too
constexpr uint64_t end_mark_bytes = 1024;

// The stream that libarchive reads: the file from `position` on.
struct Stream {
  const RandomFile& file;
  uint64_t position, end;
  std::array<char, window_bytes> window{};
  std::string trouble;  // the error; no exception may pass through libarchive
};

la_ssize_t read_some(archive*, void* client, const void** bytes) {
  auto& stream = *static_cast<Stream*>(client);
  const size_t count =
      static_cast<size_t>(std::min<uint64_t>(window_bytes, stream.end - stream.position));
  try {
    stream.file.read(stream.position, stream.window.data(), count);
  } catch (const Error& error) {
    stream.trouble = error.what();
    return -1;
  }
  stream.position += count;
  *bytes = stream.window.data();
  return static_cast<la_ssize_t>(count);
}

la_int64_t skip_some(archive*, void* client, la_int64_t wanted) {
  auto& stream = *static_cast<Stream*>(client);
  if (wanted <= 0) return 0;
  const uint64_t count =
      std::min<uint64_t>(static_cast<uint64_t>(wanted), stream.end - stream.position);
  stream.position += count;
  return static_cast<la_int64_t>(count);
}

// A tar ends with two blocks of zeros. libarchive does not require them, but without them the file
// may be truncated.
bool has_end_mark(const RandomFile& file, uint64_t offset, uint64_t bytes) {
  if (bytes < end_mark_bytes) return false;
  const std::string mark = file.read(offset + bytes - end_mark_bytes, end_mark_bytes);
  return std::ranges::all_of(mark, [](char c) { return c == '\0'; });
}

bool is_gzip(const RandomFile& file, uint64_t offset, uint64_t bytes) {
  return bytes >= 2 && file.read(offset, 2) == "\x1f\x8b";
}

}  // namespace

std::vector<TarMember> tar_members(const RandomFile& file, uint64_t offset, uint64_t bytes,
                                   const std::string& origin) {
  if (is_gzip(file, offset, bytes)) {
    raise(Fault::data, "{} is compressed; try: gunzip it first", origin);
  }
  const std::unique_ptr<archive, decltype(&archive_read_free)> tar(archive_read_new(),
                                                                   &archive_read_free);
  expect(tar && archive_read_support_format_tar(tar.get()) == ARCHIVE_OK, "libarchive has no tar");
  Stream stream{.file = file, .position = offset, .end = offset + bytes};
  const auto check = [&](int result) {
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN || result == ARCHIVE_EOF) return;
    const char* why = archive_error_string(tar.get());
    if (!stream.trouble.empty()) raise(Fault::data, "{}", stream.trouble);
    raise(Fault::data, "{} is no sound tar, at byte {}: {}; {}", origin,
          archive_filter_bytes(tar.get(), 0), why ? why : "it cannot be read", advice);
  };
  archive_read_set_callback_data(tar.get(), &stream);
  archive_read_set_read_callback(tar.get(), read_some);
  archive_read_set_skip_callback(tar.get(), skip_some);
  check(archive_read_open1(tar.get()));

  std::vector<TarMember> members;
  while (true) {
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(tar.get(), &entry);
    check(result);
    if (result == ARCHIVE_EOF) break;
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry)) continue;
    const char* name = archive_entry_pathname(entry);
    const la_int64_t size = archive_entry_size(entry);
    // libarchive's stream offset is behind the header, where the content begins.
    const auto at = static_cast<uint64_t>(archive_filter_bytes(tar.get(), 0));
    if (!name || archive_entry_sparse_count(entry) > 0) {
      raise(Fault::data, "{}: the member before byte {} is sparse or has no name; {}", origin, at,
            advice);
    }
    if (size < 0 || at > bytes || static_cast<uint64_t>(size) > bytes - at) {
      raise(Fault::data, "{}: {} at byte {} is cut off by the end of the tar; {}", origin, name, at,
            advice);
    }
    members.push_back({name, offset + at, static_cast<uint64_t>(size)});
  }
  if (!has_end_mark(file, offset, bytes)) {
    raise(Fault::data, "{} has no end mark: it seems to be cut off after {} files; {}", origin,
          members.size(), advice);
  }
  return members;
}

std::vector<TarMember> tar_members(const RandomFile& file) {
  return tar_members(file, 0, file.size(), file.path().string());
}

}  // namespace convoy
