#include "data/sources/folder_source.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/files/folder.h"
#include "base/text/text.h"
#include "data/sources/data_file.h"
#include "data/sources/val_share.h"

namespace convoy {
namespace {

constexpr std::array<std::string_view, 9> endings{".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                  ".pgm", ".tif",  ".tiff", ".webp"};

class FileSource final : public PictureSource {
 public:
  // `folder`: the split's; names are relative to it, so they are equal on all machines.
  FileSource(std::vector<std::string> names, const fs::path& folder)
      : names_(std::move(names)), folder_((folder / "").native()) {}

  void add(const fs::path& path, int32_t label) {
    paths_ += path.native();
    ends_.push_back(paths_.size());
    labels_.push_back(label);
  }

  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
  std::vector<std::string> class_names() const override { return names_; }
  std::vector<int64_t> class_counts() const override {
    std::vector<int64_t> counts(names_.size());
    for (const int32_t label : labels_) ++counts[static_cast<size_t>(label)];
    return counts;
  }
  std::string origin(int64_t index) const override {
    const auto i = static_cast<size_t>(index);
    const size_t begin = i ? ends_[i - 1] : 0;
    return paths_.substr(begin, ends_[i] - begin);
  }

  KeptSample kept(int64_t index) const override {
    std::string path = origin(index);
    std::error_code code;
    const uint64_t bytes = fs::file_size(path, code);  // the read reports errors
    if (path.starts_with(folder_)) path.erase(0, folder_.size());
    return {std::move(path), code ? 0 : bytes};
  }

  void read(int64_t index, EncodedPicture& picture) const override {
    picture.bytes = read_file(origin(index), Fault::data);
    picture.label = labels_[static_cast<size_t>(index)];
    picture.boxes.clear();
  }

  void announce_read(int64_t index) const override { announce_read_of(origin(index)); }

 private:
  std::vector<std::string> names_;
  std::string folder_;
  std::string paths_;  // all paths in one string: millions of them stay small
  std::vector<size_t> ends_;
  std::vector<int32_t> labels_;
};

std::vector<std::string> class_folders(const fs::path& folder) {
  std::vector<std::string> names;
  for (const FolderEntry& entry : folder_entries(folder, Fault::data)) {
    if (entry.is_folder) names.push_back(entry.path.filename().string());
  }
  return names;
}

void count_below(const fs::path& folder, int64_t enough, FolderTrail& trail, int64_t& count) {
  if (!trail.enter(folder)) return;
  for (const FolderEntry& entry : folder_entries(folder, Fault::data)) {
    if (count >= enough) break;
    if (entry.is_folder) {
      count_below(entry.path, enough, trail, count);
    } else {
      count += names_picture(entry.path);
    }
  }
  trail.leave();
}

std::vector<fs::path> pictures_of_class(const fs::path& folder) {
  std::vector<fs::path> pictures = pictures_below(folder);
  if (pictures.empty()) {
    raise(Fault::data, "there is no picture in {}; try: without that folder", folder.string());
  }
  return pictures;
}

}  // namespace

bool names_picture(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

std::optional<fs::path> split_folder(const fs::path& dir, bool train, std::string_view held_out) {
  std::vector<const char*> names{"val", "validation", "img_val"};
  if (train) names = {"train", "img_train"};
  if (!train && held_out != "val")
    names.insert(held_out.empty() ? names.end() : names.begin(), "test");
  for (const char* name : names) {
    if (is_folder(dir / name)) return dir / name;
  }
  return std::nullopt;
}

bool is_split(const fs::path& dir) {
  const std::optional<fs::path> training = split_folder(dir, true);
  return training && !class_folders(*training).empty();
}

std::unique_ptr<PictureSource> open_folder(const fs::path& folder,
                                           std::vector<std::string> classes) {
  const std::vector<std::string> there = class_folders(folder);
  const bool given = !classes.empty();
  if (!given) classes = there;
  if (classes.empty()) {
    raise(Fault::data, "there is no folder of a class in {}; try: one folder for each class",
          folder.string());
  }
  auto source = std::make_unique<FileSource>(classes, folder);
  for (const std::string& name : there) {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end()) {
      raise(Fault::data,
            "{} is the folder of a class that training does not know; try: convoy check",
            (folder / name).string());
    }
    for (const fs::path& path : pictures_of_class(folder / name)) {
      source->add(path, static_cast<int32_t>(found - classes.begin()));
    }
  }
  if (source->size() == 0) raise(Fault::data, "there is no picture in {}", folder.string());
  return source;
}

std::unique_ptr<PictureSource> open_split(const fs::path& dir, bool train,
                                          std::string_view held_out) {
  const std::optional<fs::path> folder = split_folder(dir, train, held_out);
  if (!folder) {
    raise(Fault::data,
          "there is no folder {} in {}; try: folders train and val with one folder for each class "
          "(convoy prepare folder makes them)",
          train ? "train" : "val", dir.string());
  }
  std::vector<std::string> classes;
  if (!train) {
    if (const std::optional<fs::path> training = split_folder(dir, true)) {
      classes = class_folders(*training);
    }
  }
  return open_folder(*folder, std::move(classes));
}

std::unique_ptr<PictureSource> open_share(const fs::path& dir, bool train, double val_share) {
  if (is_split(dir)) {
    raise(
        Fault::usage,
        "{} is split already, it has {}: there is nothing for --val-share to do; try: --val-share "
        "0",
        dir.string(), split_folder(dir, true)->filename().string());
  }
  const std::vector<std::string> classes = class_folders(dir);
  if (classes.empty()) {
    raise(Fault::data, "there is no folder of a class in {}; try: one folder for each class",
          dir.string());
  }
  auto source = std::make_unique<FileSource>(classes, dir);
  for (size_t label = 0; label < classes.size(); ++label) {
    const fs::path folder = dir / classes[label];
    const std::vector<fs::path> pictures = pictures_of_class(folder);
    std::vector<std::string> names;
    for (const fs::path& path : pictures) {
      names.push_back(path.lexically_relative(folder).string());
    }
    const std::vector<bool> is_out = held_out(names, val_share);
    for (size_t i = 0; i < pictures.size(); ++i) {
      if (is_out[i] != train) source->add(pictures[i], static_cast<int32_t>(label));
    }
  }
  if (source->size() == 0) {
    raise(Fault::data,
          "{} has one picture of each class, which leaves none for evaluation; try: "
          "more pictures",
          dir.string());
  }
  return source;
}

int64_t count_pictures(const fs::path& folder, int64_t enough) {
  FolderTrail trail(folder);
  int64_t count = 0;
  try {
    count_below(folder, enough, trail, count);
  } catch (const Error&) {  // opening the set reports the error
  }
  return count;
}

std::unique_ptr<PictureSource> picture_files(std::vector<fs::path> paths) {
  auto source = std::make_unique<FileSource>(std::vector<std::string>{""}, "");
  for (const fs::path& path : paths) source->add(path, 0);
  return source;
}

std::vector<fs::path> pictures_below(const fs::path& folder) {
  std::vector<fs::path> found = files_below(folder, Fault::data);
  std::erase_if(found, [](const fs::path& path) { return !names_picture(path); });
  return found;
}

}  // namespace convoy
