#include "data/sources/data_folder.h"

#include <algorithm>

#include "base/text/some_of.h"
#include "base/text/text.h"
#include "data/dataset.h"
#include "data/sources/folder_source.h"

namespace convoy {
namespace {

constexpr size_t told_names = 4;  // the most names of a list in a message

constexpr std::string_view looks_like =
    "folders train and val with a folder of pictures for each class, or those of the classes alone "
    "with --val-share 0.1, or the files of another dataset (convoy list datasets)";

struct Content {
  std::vector<std::string> folders, files;  // sorted by name, without hidden ones
  std::error_code error;
};

Content look_into(const fs::path& folder) {
  Content content;
  fs::directory_iterator it(folder, content.error);
  for (; !content.error && it != fs::directory_iterator(); it.increment(content.error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code ignored;
    (it->is_directory(ignored) ? content.folders : content.files).push_back(name);
  }
  std::ranges::sort(content.folders);
  std::ranges::sort(content.files);
  return content;
}

// Reports a missing folder: finds its deepest existing parent and the name that was probably meant.
[[noreturn]] void refuse_missing(const fs::path& folder) {
  fs::path above = folder, missing, below;  // the part of the path behind the missing folder
  std::error_code ignored;
  do {
    below = missing / below;
    missing = above.filename().empty() ? above.parent_path().filename() : above.filename();
    above = above.filename().empty() ? above.parent_path().parent_path() : above.parent_path();
  } while (!above.empty() && above != above.root_path() && !fs::is_directory(above, ignored));
  const Content content = look_into(above.empty() ? fs::path(".") : above);
  std::string near = nearest(missing.string(), content.folders);
  if (!near.empty() && !below.empty()) {
    const fs::path whole = fs::path(near) / below;
    if (fs::is_directory(above / whole, ignored)) near = whole.lexically_normal().string();
    if (near.ends_with('/')) near.pop_back();
  }
  raise(Fault::data, "there is no folder {} (--data-dir, or the variable DATA_DIR){}",
        folder.string(),
        !near.empty()
            ? "; try: --data-dir " + (above / near).string() + ", the nearest that is there"
        : content.folders.empty() ? "; try: the folder of a dataset"
                                  : fmt::format("; try: a folder that is there; {} has {}",
                                                above.empty() ? "." : above.string(),
                                                some_of(content.folders, told_names)));
}

bool is_archive(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".zip" || ending == ".tar" || ending == ".gz" || ending == ".tgz";
}

[[noreturn]] void refuse_closed(const fs::path& folder, const std::error_code& error) {
  raise(Fault::data, "cannot look into {}: {}; try: as a user who may read it, or chmod -R u+rX {}",
        folder.string(), error.message(), folder.string());
}

bool has_pictures(const fs::path& folder) {
  const Content content = look_into(folder);
  return std::ranges::any_of(content.files, [](const auto& name) { return names_picture(name); });
}

}  // namespace

void expect_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) refuse_missing(folder);
  if (error) refuse_closed(folder, error);
  if (status.type() != fs::file_type::directory) {
    raise(Fault::data, "{} is a file and no folder; try: {}", folder.string(),
          is_archive(folder) ? "unpack it, and name the folder that comes out of it"
                             : "the folder it is in, or another one");
  }
  if (const Content content = look_into(folder); content.error) {
    refuse_closed(folder, content.error);
  }
}

void refuse_folder(const fs::path& folder) {
  expect_folder(folder);
  const Content content = look_into(folder);
  if (content.folders.empty() && content.files.empty()) {
    raise(Fault::data, "the folder {} is empty; try: {}", folder.string(), looks_like);
  }
  for (const std::string& name : content.folders) {
    if (!recognise_dataset(folder / name)) continue;
    raise(Fault::data, "{} is no dataset, but {} in it is one; try: --data-dir {}", folder.string(),
          name, (folder / name).string());
  }
  const auto is_class = [&](const std::string& name) { return has_pictures(folder / name); };
  if (content.folders.size() > 1 && std::ranges::any_of(content.folders, is_class)) {
    raise(Fault::data,
          "{} has the folders {}, but no folders train and val; try: --val-share 0.1, which takes "
          "them for classes and keeps a tenth of each for evaluation",
          folder.string(), some_of(content.folders, told_names));
  }
  std::vector<std::string> all = content.folders;
  all.insert(all.end(), content.files.begin(), content.files.end());
  raise(Fault::data, "{} is no dataset that is known: it has {}; try: {}", folder.string(),
        some_of(all, told_names), looks_like);
}

}  // namespace convoy
