#include "support/raw_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/tar_writer.h"
#include "support/tiny_pictures.h"
#include "support/tiny_sets.h"

namespace convoy::test {

RawSet::RawSet(int classes, int each) {
  int number = 0;
  for (int k = 1; k <= classes; ++k) {
    const std::string name = fmt::format("n{:08}", k);
    for (int i = 0; i < each; ++i) {
      const bool is_png = k == 2 && i == 1;
      train.push_back({name, fmt::format("{}_{}.JPEG", name, i * 37),
                       is_png ? tiny_png(number) : tiny_jpeg(number)});
      ++number;
    }
  }
  for (int i = 0; i < 2 * classes; ++i) {
    validation.push_back({fmt::format("n{:08}", (i * 5 + 2) % classes + 1),
                          fmt::format("ILSVRC2012_val_{:08}.JPEG", i + 1), tiny_jpeg(number++)});
  }
}

void RawSet::write_tars(const fs::path& folder) const {
  fs::create_directories(folder);
  std::map<std::string, std::vector<TarPart>> classes;
  for (const RawFile& file : train) classes[file.class_name].push_back({file.name, file.content});
  std::vector<TarPart> outer, heap;
  for (const auto& [name, parts] : classes) outer.push_back({name + ".tar", tar_of(parts)});
  write_bytes(folder / "ILSVRC2012_img_train.tar", tar_of(outer));
  std::string labels;
  for (const RawFile& file : validation) {
    heap.push_back({file.name, file.content});
    labels += file.class_name + "\n";
  }
  std::ranges::reverse(heap);  // by name, whatever the order in the tar
  write_bytes(folder / "ILSVRC2012_img_val.tar", tar_of(heap));
  write_bytes(folder / "imagenet_2012_validation_synset_labels.txt", labels);
}

void RawSet::write_folders(const fs::path& folder) const {
  const auto write = [&](const char* split, const RawFile& file) {
    fs::create_directories(folder / split / file.class_name);
    write_bytes(folder / split / file.class_name / file.name, file.content);
  };
  for (const RawFile& file : train) write("train", file);
  for (const RawFile& file : validation) write("val", file);
}

std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename() == ".lock") continue;
    files[entry.path().lexically_relative(folder).string()] = read_file(entry.path(), Fault::bug);
  }
  return files;
}

}  // namespace convoy::test
