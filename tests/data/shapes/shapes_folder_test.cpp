#include "data/shapes/shapes_folder.h"

#include <gtest/gtest.h>

#include <map>

#include "base/files/folder.h"
#include "data/coco/coco_layout.h"
#include "data/coco/coco_split.h"
#include "data/shapes/shape_scene.h"
#include "support/raises.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

const ShapesSpec few{.train = 5, .val = 3, .side = 64, .seed = 3};

// The content of each file by its path below the folder.
std::map<std::string, std::string> written(const ShapesSpec& spec, int threads = 1) {
  const test::TempFolder folder(test::memory_folder());
  ThreadPool pool(threads);
  write_shapes(folder / "set", spec, pool);
  std::map<std::string, std::string> files;
  for (const fs::path& file : files_below(folder / "set", Fault::data)) {
    files[file.lexically_relative(folder / "set").string()] = read_file(file, Fault::data);
  }
  return files;
}

TEST(ShapesFolder, EqualSeedsGiveEqualBytesOnAnyNumberOfThreads) {
  const auto files = written(few);
  EXPECT_EQ(files.size(), 10u);
  EXPECT_EQ(written(few, 3), files);
  ShapesSpec other = few;
  other.seed = 4;
  EXPECT_NE(written(other).at("train2017/000001.jpg"), files.at("train2017/000001.jpg"));
  ShapesSpec longer = few;
  longer.train = 7;
  for (const auto& [name, content] : written(longer)) {
    if (name.starts_with("annotations") || !files.contains(name)) continue;
    EXPECT_EQ(content, files.at(name)) << name;
  }
  EXPECT_NE(files.at("train2017/000001.jpg"), files.at("val2017/000001.jpg"));
}

TEST(ShapesFolder, IsASetInCocosFormat) {
  const test::TempFolder folder(test::memory_folder());
  ThreadPool pool(2);
  for (const ShapesFormat format : {ShapesFormat::jpeg, ShapesFormat::png}) {
    ShapesSpec spec = few;
    spec.format = format;
    const fs::path set = folder / std::string(word_of(format));
    const ShapesResult made = write_shapes(set, spec, pool);
    int64_t objects = 0;
    for (const bool train : {true, false}) {
      const CocoFiles files = find_coco(set, split_name(train));
      const BoxedSplit split = read_coco_split(files.annotations, files.pictures);
      EXPECT_EQ(std::ssize(split.pictures), train ? 5 : 3);
      EXPECT_EQ(split.unusable(), "");
      EXPECT_EQ(split.bare(), 0);
      EXPECT_EQ(std::ssize(split.categories), shape_kinds);
      objects += std::ssize(split.objects);
      for (const auto& picture : split.pictures) {
        const Pixels pixels = decode_picture(read_file(files.pictures / picture.file, Fault::data),
                                             picture.file, false);
        EXPECT_EQ(pixels.region, (PixelRect{0, 0, picture.width, picture.height}));
      }
    }
    EXPECT_EQ(objects, made.objects);
  }
}

TEST(ShapesFolder, LeavesAFolderThatIsThereAlone) {
  const test::TempFolder folder(test::memory_folder());
  ThreadPool pool(1);
  write_atomically(folder / "mine", "text", Fault::usage);
  test::expect_raises(Fault::usage, {"is there already", "try: another folder"},
                      [&] { write_shapes(folder.path(), few, pool); });
  EXPECT_EQ(files_below(folder.path(), Fault::data).size(), 1u);
}

}  // namespace
}  // namespace convoy
