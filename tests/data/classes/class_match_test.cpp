#include "data/classes/class_match.h"

#include <gtest/gtest.h>

#include "data/classes/imagenet_classes.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::expect_raises;

// Sample i has the class i.
class Named final : public Dataset {
 public:
  explicit Named(ClassNames names) : names_(std::move(names)) {}
  int64_t size() const override { return std::ssize(names_); }
  Shape image_shape() const override { return {1, 1, 1}; }
  int classes() const override { return static_cast<int>(names_.size()); }
  ClassNames class_names() const override { return names_; }
  std::vector<int64_t> class_counts() const override {
    std::vector<int64_t> counts;
    for (size_t i = 0; i < names_.size(); ++i) counts.push_back(static_cast<int64_t>(10 + i));
    return counts;
  }
  void read(int64_t index, uint64_t, Sample& sample) const override {
    *sample.pixels() = 0;
    sample.add_label(static_cast<int32_t>(index));
  }

 private:
  ClassNames names_;
};

std::unique_ptr<Dataset> matched(const ClassNames& data, const ClassNames& network,
                                 const ClassMap& map = {}) {
  return with_classes(std::make_unique<Named>(data), network, map, "the weights");
}

std::vector<int32_t> labels(const Dataset& data) {
  std::vector<int32_t> all;
  for (int64_t i = 0; i < data.size(); ++i) {
    uint8_t pixel = 0;
    test::read_labelled(data, i, 0, &pixel, all.emplace_back());
  }
  return all;
}

using Labels = std::vector<int32_t>;

TEST(ClassMatch, LabelsAreTheNetworksByName) {
  const auto data = matched({"dog", "ant"}, {"ant", "bee", "cat", "dog"});
  EXPECT_EQ(labels(*data), (Labels{3, 0}));
  EXPECT_EQ(data->classes(), 4);
  EXPECT_EQ(data->class_names(), (ClassNames{"ant", "bee", "cat", "dog"}));
  EXPECT_EQ(data->class_counts(), (std::vector<int64_t>{11, 0, 0, 10}));
  EXPECT_NE(data->remark().find("bee, cat"), std::string::npos) << data->remark();
  EXPECT_EQ(matched({"a", "b"}, {"a", "b"})->remark(), "");
}

TEST(ClassMatch, WhatTheNetworkDoesNotKnowIsRefusedAndAMapHelps) {
  expect_raises(Fault::data, {"hund", "lacks dog", "--class-map FILE", "hund = dog"}, [] {
    matched({"ant", "hund"}, {"ant", "dog"});
  });
  const auto data = matched({"ant", "hund"}, {"ant", "dog"}, {{"hund", "dog"}});
  EXPECT_EQ(labels(*data), (Labels{0, 1}));
  EXPECT_EQ(data->remark(), "");
  expect_raises(Fault::data, {"no class of the data", "katze"}, [] {
    matched({"ant"}, {"ant", "dog"}, {{"katze", "dog"}});
  });
  expect_raises(Fault::data, {"no class of the weights", "dgo", "dog"}, [] {
    matched({"ant", "hund"}, {"ant", "dog"}, {{"hund", "dgo"}});
  });
}

// Records without names have their number for a name, and it is the label.
TEST(ClassMatch, NumbersOfRecordsAreNoNamesButFoldersOfNumbersAre) {
  EXPECT_EQ(labels(*matched({"1", "n2", "3"}, {"n1", "n2", "n3"})), (Labels{0, 1, 2}));
  EXPECT_EQ(labels(*matched({"n1", "n2"}, {"1", "2"})), (Labels{0, 1}));
  EXPECT_EQ(labels(*matched({"1", "3"}, {"0", "1", "2", "3"})), (Labels{1, 3}));
  expect_raises(Fault::data, {"4"}, [] { matched({"0", "4"}, {"0", "1"}); });
}

TEST(ClassMatch, FilesAreReadAndMalformedOnesRefused) {
  const test::TempFolder folder;
  const fs::path file = folder / "f.txt";
  const auto write = [&](const std::string& text) { write_atomically(file, text, Fault::bug); };
  write("# the order of the outputs\nred fox\r\n\n cat \n");
  EXPECT_EQ(read_class_names(file), (ClassNames{"red fox", "cat"}));
  write("a\na\n");
  expect_raises(Fault::data, {"f.txt:2", "twice"}, [&] { read_class_names(file); });
  write("# nothing\n");
  expect_raises(Fault::data, {"names no class"}, [&] { read_class_names(file); });
  write("Rotfuchs = red fox\nKatze=cat\n");
  EXPECT_EQ(read_class_map(file), (ClassMap{{"Rotfuchs", "red fox"}, {"Katze", "cat"}}));
  for (const char* bad : {"a b\n", "= b\n", "a =\n"}) {
    write(bad);
    expect_raises(Fault::data, {"f.txt:1", "name in the data = name in the weights"},
                  [&] { read_class_map(file); });
  }
  write("a = b\na = c\n");
  expect_raises(Fault::data, {"f.txt:2", "twice"}, [&] { read_class_map(file); });
}

TEST(ImagenetClasses, AreAThousandInOrderWithNames) {
  const ClassNames& ids = imagenet_synsets();
  ASSERT_EQ(ids.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  for (const std::string& id : ids) {
    EXPECT_EQ(id.size(), 9u);
    EXPECT_FALSE(imagenet_name(id).empty()) << id;
  }
  EXPECT_EQ(imagenet_name("n01440764"), "tench");
  EXPECT_EQ(imagenet_name("n15075141"), "toilet tissue");
  EXPECT_EQ(imagenet_name("n00000000"), "");
  EXPECT_EQ(imagenet_name("cat"), "");
}

}  // namespace
}  // namespace convoy
