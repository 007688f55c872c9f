#include "app/prepare/raw_pictures.h"

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/files/folder.h"
#include "base/files/regular_file.h"
#include "data/sources/folder_source.h"
#include "records/tar.h"

namespace convoy {
namespace {

constexpr uint64_t largest_picture_bytes = uint64_t{1} << 30;

using Within = std::shared_ptr<const std::string>;

Within in_folder(const fs::path& folder) {
  return std::make_shared<const std::string>((folder / "").string());
}

void add_file(RawPictures& found, const fs::path& file, const Within& within,
              const std::string& class_name) {
  const std::string name = file.filename().string();
  if (!names_picture(name)) {
    ++found.passed_over;
    return;
  }
  found.pictures.push_back({.class_name = class_name,
                            .name = name,
                            .within = within,
                            .bytes = regular_bytes(file, Fault::data),
                            .tar = {}});
}

// The pictures of a class: those in its folder and in folders below.
RawPictures class_folder(const fs::path& folder) {
  RawPictures found;
  Within within = in_folder(folder);
  fs::path last = folder;
  for (const fs::path& file : files_below(folder, Fault::data)) {
    if (file.parent_path() != last) {
      last = file.parent_path();
      within = in_folder(last);
    }
    add_file(found, file, within, folder.filename().string());
  }
  if (found.pictures.empty()) {
    raise(Fault::data, "the class {} has no picture; try: fill or remove its folder",
          folder.string());
  }
  return found;
}

// Calls find(i) for every part and joins the results in their order.
template <class Find>
RawPictures gathered(size_t parts, ThreadPool& pool, Find&& find) {
  std::vector<RawPictures> found(parts);
  pool.run(static_cast<int>(parts),
           [&](int i, int) { found[static_cast<size_t>(i)] = find(static_cast<size_t>(i)); });
  RawPictures all;
  for (RawPictures& part : found) {
    std::ranges::move(part.pictures, std::back_inserter(all.pictures));
    all.passed_over += part.passed_over;
  }
  return all;
}

// The pictures directly in a tar, or in its folders.
RawPictures pictures_of(const std::vector<TarMember>& members, const std::string& class_name,
                        const std::string& origin, const std::shared_ptr<const RandomFile>& tar) {
  RawPictures found;
  const auto within = std::make_shared<const std::string>(origin + ": ");
  for (const TarMember& member : members) {
    if (!names_picture(member.name)) {
      ++found.passed_over;
      continue;
    }
    const std::string folder = fs::path(member.name).parent_path().filename().string();
    const bool named = class_name.empty() && !folder.empty() && folder != ".";
    found.pictures.push_back({.class_name = named ? folder : class_name,
                              .name = fs::path(member.name).filename().string(),
                              .within = within,
                              .bytes = member.bytes,
                              .offset = member.offset,
                              .tar = tar});
  }
  return found;
}

void settle(RawPictures& found, const std::string& where) {
  if (found.pictures.empty()) {
    raise(Fault::data, "{} has no pictures; try: files that end in .jpg, .png, .bmp, .tif or .webp",
          where);
  }
  const auto unnamed = std::ranges::count(found.pictures, "", &RawPicture::class_name);
  found.has_classes = unnamed == 0;
  if (unnamed != 0 && unnamed != static_cast<int64_t>(found.pictures.size())) {
    raise(Fault::data, "{} has pictures with and without a class; try: all in folders of classes",
          where);
  }
  sort_raw(found.pictures);
}

}  // namespace

std::string read_raw(const RawPicture& picture) {
  if (picture.bytes == 0) raise(Fault::data, "{} is empty; try: fetch it again", picture.path());
  if (picture.bytes > largest_picture_bytes)
    raise(Fault::data, "{} is no picture: it has {} bytes", picture.path(), picture.bytes);
  if (!picture.tar) return read_file(picture.path(), Fault::data);
  return picture.tar->read(picture.offset, static_cast<size_t>(picture.bytes));
}

void sort_raw(std::vector<RawPicture>& pictures) {
  const auto key = [](const RawPicture& p) { return std::tie(p.class_name, p.name); };
  std::ranges::sort(pictures, {}, key);
  const auto twice = std::ranges::adjacent_find(pictures, {}, key);
  if (twice != pictures.end()) {
    raise(Fault::data, "{} and {} have one name in one class; try: rename one of them",
          twice->path(), std::next(twice)->path());
  }
  for (const RawPicture& picture : pictures) {
    if (picture.class_name.starts_with(".") || picture.class_name.find('/') != std::string::npos)
      raise(Fault::data, "{}: {:?} is no name of a class", picture.path(), picture.class_name);
  }
}

RawPictures raw_folder(const fs::path& folder, ThreadPool& pool) {
  RawPictures found;
  const Within within = in_folder(folder);
  std::vector<fs::path> classes;
  for (const FolderEntry& entry : folder_entries(folder, Fault::data)) {
    if (entry.is_folder) {
      classes.push_back(entry.path);
    } else {
      add_file(found, entry.path, within, "");
    }
  }
  RawPictures of_classes =
      gathered(classes.size(), pool, [&](size_t i) { return class_folder(classes[i]); });
  std::ranges::move(of_classes.pictures, std::back_inserter(found.pictures));
  found.passed_over += of_classes.passed_over;
  settle(found, folder.string());
  return found;
}

RawPictures raw_tar(const fs::path& path, ThreadPool& pool) {
  const auto tar = std::make_shared<const RandomFile>(path, Fault::data);
  tar->expect_jumps();
  std::vector<TarMember> members = tar_members(*tar), tars;
  for (const TarMember& member : members) {
    if (member.name.ends_with(".tar")) tars.push_back(member);
  }
  std::erase_if(members, [](const TarMember& m) { return m.name.ends_with(".tar"); });
  RawPictures found = pictures_of(members, "", path.string(), tar);
  RawPictures inner = gathered(tars.size(), pool, [&](size_t i) {
    const std::string origin = path.string() + ": " + tars[i].name;
    return pictures_of(tar_members(*tar, tars[i].offset, tars[i].bytes, origin),
                       fs::path(tars[i].name).stem().string(), origin, tar);
  });
  std::ranges::move(inner.pictures, std::back_inserter(found.pictures));
  found.passed_over += inner.passed_over;
  settle(found, path.string());
  return found;
}

}  // namespace convoy
