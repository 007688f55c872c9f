#include "app/prepare/write_tree.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "app/prepare/journal.h"
#include "base/error.h"
#include "base/file_writer.h"
#include "data/folder_source.h"
#include "pictures/jpeg_pack.h"
#include "pictures/picture.h"

namespace convoy {
namespace {

// What the output shall hold for a file. Fault::data when it is no sound picture.
std::string content_of(const FileToWrite& file, TreeMode mode) {
  if (!file.is_picture) return read_file(file.from.path(), Fault::data);
  std::string bytes = read_raw(file.from);
  const std::string origin = file.from.path();
  PictureDecoder decoder;
  const PictureInfo info = decoder.open(bytes, origin);
  if (mode == TreeMode::copy || info.format != PictureFormat::jpeg) return bytes;
  return pack_jpeg(bytes, origin);
}

// A file of an earlier run. Without a sync an empty one may be all that the machine kept of it.
bool is_there_already(const FileToWrite& file, const fs::path& path, TreeMode mode) {
  std::error_code code;
  const uint64_t bytes = fs::file_size(path, code);
  if (code) return false;
  if (mode == TreeMode::copy || !file.is_picture) return bytes == file.from.bytes;
  return bytes > 0;
}

uint64_t missing_bytes(const std::vector<FileToWrite>& files, const fs::path& output,
                       TreeMode mode) {
  uint64_t sum = 0;
  for (const FileToWrite& file : files) {
    if (!is_there_already(file, output / file.to, mode)) sum += file.from.bytes;
  }
  return sum;
}

void verify(const FileToWrite& file, const fs::path& path, TreeMode mode) {
  const auto differs = [&](const char* how) {
    raise(Fault::data, "{} {} {}; try: remove it and run the same again", path.string(), how,
          file.from.path());
  };
  const std::string bytes = read_file(path, Fault::data);
  if (mode == TreeMode::copy || !file.is_picture) {
    if (bytes.size() != file.from.bytes) differs("has not the length of");
    if (!file.is_picture) return;
  }
  PictureDecoder decoder;
  const PictureInfo now = decoder.open(bytes, path.string());
  if (mode == TreeMode::copy || now.format != PictureFormat::jpeg) return;
  const std::string original = read_raw(file.from);
  const PictureInfo before = decoder.open(original, file.from.path());
  if (!is_packed(bytes) || now.width != before.width || now.height != before.height ||
      now.components != before.components)
    differs("is not the packed picture of");
}

void make_folders_of(const std::vector<FileToWrite>& files, const fs::path& output) {
  std::set<fs::path> folders;
  for (const FileToWrite& file : files) folders.insert((output / file.to).parent_path());
  for (const fs::path& folder : folders) make_folders(folder, Fault::usage);
}

}  // namespace

TreeResult write_tree(const std::vector<FileToWrite>& files, const fs::path& output, TreeMode mode,
                      ThreadPool& pool, BadPictures& bad) {
  make_folders_of(files, output);
  expect_room(output, missing_bytes(files, output, mode));
  std::atomic<int64_t> made = 0;
  std::atomic<uint64_t> bytes_before = 0, bytes = 0;
  std::vector<char> is_bad(files.size(), 0);
  const auto count = static_cast<int>(files.size());
  {
    SharedProgress progress(mode == TreeMode::pack ? "packing" : "copying", count);
    pool.run(count, [&](int i, int) {
      const FileToWrite& file = files[static_cast<size_t>(i)];
      const fs::path path = output / file.to;
      std::string content;
      if (is_there_already(file, path, mode)) {
      } else if (bad.survives([&] { content = content_of(file, mode); }, progress)) {
        FileWriter writer(path, Fault::usage);
        writer.write(content);
        writer.commit(false);  // a million syncs would take hours: one comes at the end
        ++made;
      } else {
        is_bad[static_cast<size_t>(i)] = 1;
      }
      progress.add(1);
    });
  }
  {
    SharedProgress progress("reading again", count);
    pool.run(count, [&](int i, int) {
      const FileToWrite& file = files[static_cast<size_t>(i)];
      progress.add(1);
      if (is_bad[static_cast<size_t>(i)]) return;
      const fs::path path = output / file.to;
      verify(file, path, mode);
      bytes_before += file.from.bytes;
      bytes += fs::file_size(path);
    });
  }
  const int64_t left_out = std::ranges::count(is_bad, 1);
  return {.files = count - left_out,
          .made = made,
          .left_out = left_out,
          .bytes_before = bytes_before,
          .bytes = bytes};
}

std::vector<FileToWrite> files_to_write(const fs::path& folder) {
  std::vector<FileToWrite> files;
  bool has_pictures = false;
  std::error_code code;
  using Walk = fs::recursive_directory_iterator;
  for (Walk entry(folder, fs::directory_options::follow_directory_symlink, code), end;
       !code && entry != end; entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(".")) {
      if (entry->is_directory()) entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file()) continue;
    const fs::path to = entry->path().lexically_relative(folder);
    if (to == "prepare.json") continue;  // tells what its own folder is made of
    const std::string within = (entry->path().parent_path() / "").string();
    files.push_back({.from = {.class_name = to.parent_path().string(),
                              .name = name,
                              .within = std::make_shared<const std::string>(within),
                              .bytes = entry->file_size(),
                              .tar = {}},
                     .to = to.string(),
                     .is_picture = names_picture(name)});
    has_pictures |= files.back().is_picture;
  }
  if (code) raise(Fault::data, "cannot read the folder {}: {}", folder.string(), code.message());
  if (!has_pictures) {
    raise(Fault::data, "{} has no pictures; try: files that end in .jpg, .png, .bmp, .tif or .webp",
          folder.string());
  }
  std::ranges::sort(files, {}, &FileToWrite::to);
  return files;
}

}  // namespace convoy
