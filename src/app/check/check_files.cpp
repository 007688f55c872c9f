#include "app/check/check_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "base/error.h"
#include "base/threads/thread_pool.h"
#include "data/sources/folder_source.h"
#include "pictures/picture_end.h"

namespace convoy {
namespace {

std::string ending_of(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  for (char& c : ending) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return ending;
}

// The fourth byte of a pixel is undefined and must not affect the hash.
uint64_t hash_pixels(Pixels& pixels) {
  const auto count = static_cast<size_t>(pixels.region.width * pixels.region.height);
  for (size_t i = 0; i < count; ++i) pixels.bytes[i * 4 + 3] = 0;
  const std::array<int64_t, 2> size{pixels.region.width, pixels.region.height};
  const std::array<std::string_view, 2> parts{
      std::string_view(reinterpret_cast<const char*>(size.data()), sizeof size),
      std::string_view(reinterpret_cast<const char*>(pixels.bytes.data()), count * 4)};
  return hash_parts(parts);
}

// The error's message without the file name in front.
std::string reason_of(const Error& error, const std::string& origin) {
  std::string reason = error.what();
  if (reason.starts_with(origin + ": ")) reason.erase(0, origin.size() + 2);
  return reason;
}

struct Looker {
  PictureDecoder decoder;
  Pixels pixels;
  EncodedPicture record;

  void look(const fs::path& root, CheckedFile& found) {
    TreeFile& file = found.file;
    const std::string origin = (root / file.path).string();
    found.is_picture = file.records || names_picture(file.path);
    try {
      if (file.records) {
        file.records->pictures->read(file.index, record);
        if (!file.records->pictures->has_objects()) {
          file.label = file.records->class_names.at(static_cast<size_t>(record.label));
        }
      } else {
        record.bytes = read_file(origin, Fault::data);
      }
      found.bytes = static_cast<int64_t>(record.bytes.size());
      found.hash = hash_bytes(record.bytes);
      if (looks_like_picture(record.bytes)) found.is_picture = true;
      if (!found.is_picture) return;
      found.info = decoder.open(record.bytes, origin);
      decoder.decode({0, 0, found.info.width, found.info.height}, DecodeSpeed::exact, 1, pixels);
      found.pixel_hash = hash_pixels(pixels);
      found.remarks = decoder.remarks();
      const PictureFormat format = found.info.format;
      if (format != PictureFormat::jpeg && format != PictureFormat::png) return;
      const std::optional<size_t> end = picture_end(record.bytes);
      found.has_end = end.has_value();
      if (end) found.behind_end = found.bytes - static_cast<int64_t>(*end);
    } catch (const Error& error) {
      if (error.fault() != Fault::data) throw;
      found.is_picture = true;  // an unreadable file counts as a picture too
      found.broken = reason_of(error, origin);
    }
  }
};

}  // namespace

bool ending_fits(const std::string& path, PictureFormat format) {
  static const std::map<PictureFormat, std::vector<std::string_view>> usual{
      {PictureFormat::jpeg, {".jpg", ".jpeg", ".jpe"}},
      {PictureFormat::png, {".png"}},
      {PictureFormat::bmp, {".bmp", ".dib"}},
      {PictureFormat::tiff, {".tif", ".tiff"}},
      {PictureFormat::webp, {".webp"}}};
  return std::ranges::find(usual.at(format), ending_of(path)) != usual.at(format).end();
}

std::vector<CheckedFile> check_files(const Tree& tree, int threads,
                                     const std::function<void(int64_t done)>& progress) {
  std::vector<CheckedFile> found(tree.files.size());
  std::vector<Looker> lookers(static_cast<size_t>(threads));
  ThreadPool pool(threads);
  std::mutex one_at_a_time;
  int64_t done = 0;
  pool.run(static_cast<int>(found.size()), [&](int task, int worker) {
    CheckedFile& each = found[static_cast<size_t>(task)];
    each.file = tree.files[static_cast<size_t>(task)];
    lookers[static_cast<size_t>(worker)].look(tree.root, each);
    const std::scoped_lock lock(one_at_a_time);
    progress(++done);
  });
  return found;
}

}  // namespace convoy
