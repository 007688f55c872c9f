#include "data/yolo/data_yaml.h"

#include <gtest/gtest.h>

#include "support/raises.h"

namespace convoy {
namespace {

using Names = std::vector<std::string>;

DataYaml read(std::string_view text) { return read_data_yaml(text, "data.yaml"); }

TEST(DataYaml, IsReadAsRoboflowWritesIt) {
  const DataYaml data = read(
      "train: ../train/images\nval: ../valid/images\ntest: ../test/images\n\nnc: 3\n"
      "names: ['bee', 'it''s a cat', \"d\\x6fg\"]\n\nroboflow:\n  workspace: a-b\n  version: 1\n"
      "  license: CC BY 4.0\n  url: https://universe.example/a\n");
  EXPECT_EQ(data.train, Names{"../train/images"});
  EXPECT_EQ(data.val, Names{"../valid/images"});
  EXPECT_EQ(data.test, Names{"../test/images"});
  EXPECT_EQ(data.names, (Names{"bee", "it's a cat", "dog"}));
  EXPECT_EQ(data.path, "");
  EXPECT_FALSE(data.key_points);
}

TEST(DataYaml, IsReadAsUltralyticsWritesIt) {
  const DataYaml data = read(
      "# COCO8\npath: coco8  # root\ntrain:\n  - images/train\n  - images/more # two\nval: "
      "images/val\n"
      "test: # none\n\nkpt_shape: [17, 3]\n# Classes\nnames:\n  1: bicycle # wheels\n  0: person\n"
      "  2: \"traffic light\"\n\ndownload: |\n  import os\n\n  os.x('names: [a]')\n");
  EXPECT_EQ(data.path, "coco8");
  EXPECT_EQ(data.train, (Names{"images/train", "images/more"}));
  EXPECT_EQ(data.val, Names{"images/val"});
  EXPECT_TRUE(data.test.empty());
  EXPECT_EQ(data.names, (Names{"person", "bicycle", "traffic light"}));
  EXPECT_TRUE(data.key_points);
}

TEST(DataYaml, IsReadInOtherForms) {
  EXPECT_EQ(read("names:\n- a\n- b\nval: x\n").names, (Names{"a", "b"}));
  EXPECT_EQ(read("---\r\nnames: {0: a, 1: 'b, c'}\r\n...\n").names, (Names{"a", "b, c"}));
  EXPECT_EQ(read("names: [a,\nb,  # why\n  'c\n  d',]\nval: x\n").names, (Names{"a", "b", "c d"}));
  EXPECT_EQ(read("\"names\": [no, 7, null]\n").names, (Names{"no", "7", "null"}));
  EXPECT_EQ(read("nc: 2\n").names, (Names{"class_0", "class_1"}));
  EXPECT_EQ(read("names: [a]\nflip_idx: [1,\n 2]\nother: {a: [1, {b: 2}],\n c: 3}\nval: v").val,
            Names{"v"});
}

TEST(DataYaml, NamesMayStandInLines) {
  EXPECT_EQ(read_name_lines("\xef\xbb\xbf"
                            "bee\r\ntraffic  light\n\n",
                            "classes.txt"),
            (Names{"bee", "traffic light"}));
  test::expect_raises(Fault::data, {"classes.txt", "no classes"},
                      [] { read_name_lines("\n", "classes.txt"); });
  test::expect_raises(Fault::data, {"classes.txt", "two classes", "a"},
                      [] { read_name_lines("a\nb\na", "classes.txt"); });
}

struct Mistake {
  std::string text;
  const char* what;
};

class DataYamlMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(DataYamlMistakes, AreNamed) {
  SCOPED_TRACE(GetParam().text.substr(0, 100));
  test::expect_raises(Fault::data, {"data.yaml", GetParam().what}, [&] { read(GetParam().text); });
}

INSTANTIATE_TEST_SUITE_P(
    All, DataYamlMistakes,
    testing::Values(
        Mistake{"", "no names"}, Mistake{"train: a\nval: b\n", "no names"},
        Mistake{"names: []", "no names"}, Mistake{"names:\n", "no names"},
        Mistake{"nc: 0", "no names"}, Mistake{"nc: x\nnames: [a]", ":1: nc is no number"},
        Mistake{"nc: -1", "nc is no number"}, Mistake{"nc: [1, 2]\nnames: [a]", "nc is a list"},
        Mistake{"nc: 99999999", "nc is no number"},
        Mistake{"names: [a]\nnc: 2\n", ":2: nc is 2, but there are 1 names"},
        Mistake{"names: [a, b, a]", "two classes have the name \"a\""},
        Mistake{"names: [a, '']", "empty"}, Mistake{"names: [a, , b]", "begins with ,"},
        Mistake{"names: [a, b", "not closed"}, Mistake{"names: [a\nb: c]\n", "keys"},
        Mistake{"names: [a] b", "behind brackets"}, Mistake{"names: ['a' b]", "comma"},
        Mistake{"names: [[a]]", "inside another"}, Mistake{"names: [{a: b}]", "inside another"},
        Mistake{"names: {0: a, 2: b}", "not 0 to 1"}, Mistake{"names: {0: a, 0: b}", "not 0 to 1"},
        Mistake{"names: {x: a}", "no number"}, Mistake{"names: {a}", "without `key: value`"},
        Mistake{"names:\n  0: a\n  3: b\n", "not 0 to 1"}, Mistake{"names:\n  a\n", "neither"},
        Mistake{"names:\n  - a\n  1: b\n", "no number"},
        Mistake{"names:\n  -\n", "without a value"}, Mistake{"names:\n  - [a]\n", "inside another"},
        Mistake{"names: a\n  b\n", "several lines"}, Mistake{"names: 'a\n", "not closed"},
        Mistake{"names: \"\\q\"\n", "escape"},
        Mistake{"names: [a]\nnames: [b]\n", ":2: the key \"names\" is there twice"},
        Mistake{"train\nnames: [a]\n", ":1: is no `key: value`"},
        Mistake{"- a\n- b\n", "is no `key: value`"},
        Mistake{"  names: [a]\n", "is no `key: value`"}, Mistake{"names: &x [a]", "anchors"},
        Mistake{"names: [a]\npath: [b, c]\n", "path is a list"}, Mistake{"names: [\xff]", "UTF-8"},
        Mistake{std::string("names: [a]\n\0", 12), "UTF-8"},
        Mistake{"names: [a]\n" + std::string(1 << 20, '#'), "1024 KiB"},
        Mistake{"{names: [a]}", "is no `key: value`"}));

}  // namespace
}  // namespace convoy
