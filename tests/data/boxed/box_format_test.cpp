// Sets with boxes as programs for labelling export them: recognised, read, and the same in every
// format.
#include "data/boxed/box_format.h"

#include <gtest/gtest.h>

#include "data/dataset.h"
#include "support/boxed_layouts.h"
#include "support/raises.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

using test::TempFolder;
using test::write_text;

// Collects faults, as `check` does.
struct Collected final : BoxFaultTaker {
  void take(const std::string&, const std::vector<BoxFault>& of_picture) override {
    ++pictures;
    faults.insert(faults.end(), of_picture.begin(), of_picture.end());
  }
  std::vector<BoxFault> faults;
  int pictures = 0;
};

BoxedSplit read(const fs::path& dir, const BoxSelection& wanted) {
  RaiseBoxFaults faults;
  return read_boxes(*recognise_boxes(dir), dir, wanted, {.faults = faults, .threads = 2});
}

// The objects of a picture: class, x, y, width, height.
using Rows = std::vector<std::vector<double>>;
Rows rows_of(const BoxedSplit& split, size_t picture) {
  Rows rows;
  for (const BoxedObject& o : split.objects_of(split.pictures.at(picture))) {
    EXPECT_TRUE(o.is_usable);
    EXPECT_EQ(o.category, split.categories.at(static_cast<size_t>(o.number) - 1).id);
    rows.push_back({static_cast<double>(o.number), o.x, o.y, o.width, o.height});
  }
  return rows;
}

void expect_near(const Rows& found, const Rows& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    for (size_t k = 0; k < 5; ++k) EXPECT_NEAR(found[i][k], expected[i][k], 1e-4) << i << " " << k;
  }
}

class Layouts : public testing::TestWithParam<test::BoxedLayout> {};

TEST_P(Layouts, AreReadAsTheyAreExported) {
  const test::BoxedLayout& layout = GetParam();
  const TempFolder folder;
  layout.write(folder.path());
  ASSERT_NE(recognise_boxes(folder.path()), nullptr);
  EXPECT_EQ(recognise_boxes(folder.path())->name, layout.format);
  EXPECT_EQ(infer_dataset(folder.path().string()), layout.format);
  const Rows a{{2, 9, 6, 45, 30}}, b{{1, 0, 0, 80, 40}, {2, 20, 10, 20, 10}};
  if (layout.has_splits) {
    const BoxedSplit train = read(folder.path(), {}), val = read(folder.path(), {.train = false});
    ASSERT_EQ(train.pictures.size(), 2u);
    ASSERT_EQ(val.pictures.size(), 2u);
    EXPECT_EQ(fs::path(train.pictures[0].file).filename(), "a.bmp");
    EXPECT_EQ(train.pictures[1].width, 80);
    EXPECT_EQ(train.pictures[1].height, 40);
    EXPECT_EQ(class_names_of(val.categories), (std::vector<std::string>{"bee", "cat"}));
    expect_near(rows_of(train, 0), a);
    expect_near(rows_of(train, 1), b);
    expect_near(rows_of(val, 0), b);
    expect_near(rows_of(val, 1), {});
    test::expect_raises(Fault::usage, {"--val-share", "train and val"},
                        [&] { read(folder.path(), {.val_share = 0.5}); });
    return;
  }
  test::expect_raises(Fault::data, {"--val-share 0.1"},
                      [&] { read(folder.path(), {.train = false}); });
  const BoxedSplit train = read(folder.path(), {.val_share = 0.4}),
                   val = read(folder.path(), {.train = false, .val_share = 0.4});
  EXPECT_EQ(train.pictures.size() + val.pictures.size(), 3u);
  EXPECT_GE(train.pictures.size(), 1u);
  EXPECT_GE(val.pictures.size(), 1u);
  for (const BoxedSplit* split : {&train, &val}) {
    for (size_t i = 0; i < split->pictures.size(); ++i) {
      const std::string stem = fs::path(split->pictures[i].file).stem().string();
      expect_near(rows_of(*split, i), stem == "a" ? a : stem == "b" ? b : Rows{});
    }
  }
}

TEST_P(Layouts, BecomeDatasets) {
  const test::BoxedLayout& layout = GetParam();
  const TempFolder folder;
  layout.write(folder.path());
  const auto open = [&](bool train) {
    return open_dataset(layout.format, {.data_dir = folder.path().string(),
                                        .train = train,
                                        .pictures = {.size = 30, .view = "ssd-whole"},
                                        .val_share = layout.has_splits ? 0 : 0.4});
  };
  const auto train = open(true), val = open(false);
  EXPECT_EQ(val->class_names(), (std::vector<std::string>{"background", "bee", "cat"}));
  std::vector<float> image(static_cast<size_t>(val->image_shape().count()));
  for (const auto* set : {train.get(), val.get()}) {
    for (int64_t i = 0; i < set->size(); ++i) {
      Sample sample;
      sample.begin(image.data(), set->image_type());
      set->read(i, 1, sample);
      EXPECT_NE(set->kept(i).bytes, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Layouts, testing::ValuesIn(test::boxed_layouts()),
                         [](const auto& each) { return each.param.name; });

TEST(BoxFormat, ABoxThatIsCutKeepsWhatIsInsideThePicture) {
  const TempFolder folder;
  test::write_layout("ultralytics", folder.path());
  write_text(folder / "labels/train/a.txt",
             "1 0 0.5 0.5 0.5\n1 0.5 0.5 0 0.5\n0 0.25 0.5 0.5 1\n0 0.25 0.5 0.5 1\n");
  const BoxedSplit split = read(folder.path(), {});
  const auto objects = split.objects_of(split.pictures[0]);
  ASSERT_EQ(objects.size(), 3u);
  EXPECT_EQ(objects[0].x, 0);
  EXPECT_EQ(objects[0].width, 22.5);
  EXPECT_TRUE(objects[0].is_usable);
  EXPECT_FALSE(objects[1].is_usable);
  EXPECT_EQ(objects[2].width, 45);
  EXPECT_EQ(split.empty, 1);
  EXPECT_EQ(split.repeated, 1);
  EXPECT_EQ(split.unusable(), "1 boxes of no size, 1 boxes that repeat another one");
}

TEST(BoxFormat, VocHasFractionsDifficultObjectsAndNoSize) {
  const TempFolder folder;
  test::write_layout("published_voc", folder.path());
  write_text(folder / "Annotations/a.xml",
             "<annotation><object><name>cat</name><difficult>1</difficult><bndbox><xmin>0</xmin>"
             "<ymin>10.25</ymin><xmax>20.5</xmax><ymax>61</ymax></bndbox></object></annotation>");
  const BoxedSplit split = read(folder.path(), {});
  EXPECT_EQ(split.pictures[0].width, 90);
  EXPECT_EQ(split.pictures[0].height, 60);
  const BoxedObject& object = split.objects_of(split.pictures[0])[0];
  EXPECT_TRUE(object.crowd);
  EXPECT_EQ(object.x, 0);
  EXPECT_EQ(object.y, 9.25);
  EXPECT_EQ(object.width, 20.5);
  EXPECT_EQ(object.height, 50.75);
}

TEST(BoxFormat, NumbersInNamesAreTheIdsOfPictures) {
  const TempFolder folder;
  write_text(folder / "data.yaml", "train: images\nval: images\nnames: [a]\n");
  for (const char* name : {"000000000009.bmp", "12.bmp"}) {
    test::write_picture(folder / "images" / name, 40, 40);
  }
  const auto ids = [&] {
    std::vector<int64_t> all;
    for (const BoxedPicture& picture : read(folder.path(), {}).pictures) all.push_back(picture.id);
    return all;
  };
  EXPECT_EQ(ids(), (std::vector<int64_t>{9, 12}));
  test::write_picture(folder / "images/x.bmp", 40, 40);
  EXPECT_EQ(ids(), (std::vector<int64_t>{1, 2, 3}));
}

struct Broken {
  const char* name;
  const char* layout;
  const char* file;  // to write; empty content: to remove
  const char* content;
  const char* what;
};

class BrokenSets : public testing::TestWithParam<Broken> {};

// Named with its file, and left out by those who count; the others of its split remain.
TEST_P(BrokenSets, AreNamedAndCounted) {
  const Broken& broken = GetParam();
  const TempFolder folder;
  test::write_layout(broken.layout, folder.path());
  if (*broken.content) {
    write_text(folder / broken.file, broken.content);
  } else {
    fs::remove(folder / broken.file);
  }
  test::expect_raises(Fault::data, {broken.what, "; try: "}, [&] { read(folder.path(), {}); });
  Collected collected;
  const BoxFormat& format = *recognise_boxes(folder.path());
  const BoxedSplit split = read_boxes(format, folder.path(), {}, {.faults = collected});
  EXPECT_EQ(collected.pictures, 1);
  EXPECT_EQ(split.pictures.size(), 1u);
  EXPECT_NE(collected.faults.at(0).text().find(broken.what), std::string::npos)
      << collected.faults.at(0).text();
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenSets,
    testing::Values(
        Broken{"label", "ultralytics", "labels/train/a.txt", "0 2 2 2 2\n", "labels/train/a.txt:1"},
        Broken{"label_class", "ultralytics", "labels/train/a.txt", "\n5 0 0 1 1\n",
               "a.txt:2: the class 5"},
        Broken{"no_picture", "ultralytics", "images/train/a.bmp", "no picture", "a.bmp"},
        Broken{"cut_picture", "ultralytics", "images/train/a.bmp", "BM", "a.bmp"},
        Broken{"list", "cvat_ultralytics", "train.txt", "images/train/a.bmp\nimages/train/x.bmp\n",
               "train.txt:2: the picture \"images/train/x.bmp\" is not there"},
        Broken{"xml", "published_voc", "Annotations/a.xml", "<annotation>", "a.xml: line 1"},
        Broken{"xml_number", "published_voc", "Annotations/a.xml",
               "<annotation>\n<object><name>cat</name><bndbox><xmin>x</xmin></bndbox></object>"
               "</annotation>",
               "a.xml:2"},
        Broken{"no_xml", "published_voc", "Annotations/a.xml", "",
               "train.txt: a has no annotation"},
        Broken{"no_jpeg", "published_voc", "JPEGImages/a.bmp", "", "its picture is not in"},
        Broken{"two_pictures", "published_voc", "JPEGImages/a.png", "x", "a.bmp or a.png"}),
    [](const auto& each) { return each.param.name; });

TEST(BoxFormat, FaultsOfAWholeSetAreNamed) {
  const auto refused = [](const std::string& layout, const std::string& file,
                          const std::string& text, std::initializer_list<std::string_view> words) {
    const TempFolder folder;
    test::write_layout(layout, folder.path());
    write_text(folder / file, text);
    const double share = layout == "cvat_voc" ? 0.4 : 0;  // it has no splits
    test::expect_raises(Fault::data, words, [&] { read(folder.path(), {.val_share = share}); });
  };
  refused("roboflow_yolo", "data.yaml", "train: a\nval: b\nnames: [x, x]\n", {"data.yaml:3", "x"});
  refused("roboflow_yolo", "data.yaml", "train: nowhere\nval: b\nnames: [x]\n",
          {"data.yaml", "train is nowhere, which is not there"});
  refused("roboflow_yolo", "data.yaml", "val: valid/images\nnames: [x]\n", {"only a val set"});
  refused("roboflow_yolo", "data.yaml", "train: empty.txt\nval: b\nnames: [x]\n", {"empty.txt"});
  refused("cvat_ultralytics", "train.txt", "\n\n", {"train.txt has no pictures"});
  refused("cvat_yolo", "obj.names", "", {"obj.names: lists no classes"});
  refused("cvat_voc", "labelmap.txt", "a:::\na:::\n", {"labelmap.txt", "twice"});
  refused("cvat_voc", "labelmap.txt", "# only\n", {"labelmap.txt", "no classes"});
  refused("roboflow_coco", "train/_annotations.coco.json", "{\"images\": [",
          {"_annotations.coco.json"});
  const TempFolder empty;
  EXPECT_EQ(recognise_boxes(empty.path()), nullptr);
  RaiseBoxFaults faults;
  for (const char* format : {"coco", "voc", "yolo"}) {
    test::expect_raises(Fault::data, {"no boxes in the format", format}, [&] {
      read_boxes(find_box_format(format), empty.path(), {}, {.faults = faults});
    });
  }
  test::expect_raises(Fault::usage, {"csv", "coco, voc, yolo"}, [] { find_box_format("csv"); });
}

}  // namespace
}  // namespace convoy
