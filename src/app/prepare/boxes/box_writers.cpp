#include "app/prepare/boxes/box_writers.h"

#include <map>

#include "base/error.h"

namespace convoy {

FileToWrite picture_file(const SplitToWrite& split, size_t i, std::string to, bool link) {
  const fs::path path = split.read.folder / split.read.pictures[i].file;
  const std::string within = (path.parent_path() / "").string();
  std::error_code code;
  const uint64_t bytes = fs::file_size(path, code);  // the read reports errors
  return {.from = {.class_name = "",
                   .name = path.filename().string(),
                   .within = std::make_shared<const std::string>(within),
                   .bytes = code ? 0 : bytes,
                   .tar = {}},
          .to = std::move(to),
          .form = split.forms[i],
          .is_link = link && split.forms[i] == PictureForm::as_is};
}

FileToWrite text_file(std::string to, std::string text) {
  FileToWrite file{.from = {.class_name = "",
                            .name = to,
                            .within = std::make_shared<const std::string>(),
                            .bytes = text.size(),
                            .tar = {}},
                   .to = to,
                   .is_picture = false};
  file.text = std::make_shared<const std::string>(std::move(text));
  return file;
}

std::string stem_of(const std::string& name) { return fs::path(name).replace_extension().string(); }

void expect_own_stems(const SplitToWrite& split) {
  std::map<std::string, const std::string*> known;
  for (const std::string& name : split.names) {
    const auto [other, is_new] = known.emplace(stem_of(name), &name);
    if (is_new) continue;
    raise(Fault::data, "{}: {} and {} would have one file of annotations; try: other names",
          split.read.folder.string(), *other->second, name);
  }
}

}  // namespace convoy
