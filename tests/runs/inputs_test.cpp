// Which pictures a verb looks at: names as a shell gives them, and the splits of a folder.

#include <gtest/gtest.h>

#include "support/run_files.h"
#include "support/tiny_pictures.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

// A run on a folder with train, val and test, of 4, 2 and 1 pictures a class.
class Inputs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    int number = 0;
    for (const auto& [split, count] :
         std::vector<std::pair<std::string, int>>{{"train", 4}, {"val", 2}, {"test", 1}}) {
      for (const char* label : {"cat", "dog"}) {
        const fs::path place = *folder_ / "data" / split / label;
        fs::create_directories(place);
        for (int i = 0; i < count; ++i) {
          write_bytes(place / fmt::format("{}.jpg", i), tiny_jpeg(number++));
        }
      }
    }
    write_bytes(*folder_ / "a.jpg", tiny_jpeg(1));
    write_bytes(*folder_ / "b, c.jpg", tiny_jpeg(2));
    write_bytes(*folder_ / "d.png", tiny_png(3));
    const Finished end =
        run_convoy({"train", "--name", "a", "--quiet", "--data-dir", "data", "--dataset",
                    "imagefolder", "--model", "cifar_resnet8", "--image-size", "8", "--batch-size",
                    "4", "--epochs", "1", "--threads", "1"},
                   folder_->path());
    ASSERT_EQ(end.code, 0) << end.err;
  }
  static void TearDownTestSuite() { delete folder_; }

  static Finished predict(const Arguments& more) {
    return run_convoy(joined({"predict", "--checkpoint", "runs/a", "--json"}, more),
                      folder_->path());
  }
  static std::vector<std::string> seen(const Arguments& more) {
    const Finished end = predict(more);
    EXPECT_EQ(end.code, 0) << end.err;
    std::vector<std::string> files;
    for (const std::string& line : lines_of(end.out)) files.push_back(Json::parse(line).at("file"));
    return files;
  }

  static TempFolder* folder_;
};

TempFolder* Inputs::folder_ = nullptr;

using Names = std::vector<std::string>;

TEST_F(Inputs, FilesMayBeSeveralWordsAsAShellMakesThem) {
  EXPECT_EQ(seen({"--input", "a.jpg", "b, c.jpg", "d.png"}), (Names{"a.jpg", "b, c.jpg", "d.png"}));
  EXPECT_EQ(seen({"--input", "d.png", "--input", "a.jpg"}), (Names{"d.png", "a.jpg"}));
  EXPECT_EQ(seen({"--input", "a.jpg", "data/test"}),
            (Names{"a.jpg", "data/test/cat/0.jpg", "data/test/dog/0.jpg"}));
}

TEST_F(Inputs, ACommaDividesUnlessAFileHasIt) {
  EXPECT_EQ(seen({"--input", "a.jpg,d.png"}), (Names{"a.jpg", "d.png"}));
  EXPECT_EQ(seen({"--input", "b, c.jpg"}), Names{"b, c.jpg"});
  const Finished end = predict({"--input", "a.jpg,none.jpg"});
  EXPECT_EQ(end.code, 3);
  EXPECT_NE(end.err.find("there is no none.jpg"), end.err.npos) << end.err;
}

TEST_F(Inputs, WordsWithoutInputAreRefused) {
  const Finished end = predict({"a.jpg"});
  EXPECT_EQ(end.code, 2);
  EXPECT_NE(end.err.find("a.jpg"), end.err.npos) << end.err;
}

TEST_F(Inputs, ASplitIsTheFolderOfItsName) {
  const auto total = [](const Arguments& more) {
    const Finished end =
        run_convoy(joined({"eval", "--checkpoint", "runs/a", "--data-dir", "data", "--json"}, more),
                   folder_->path());
    EXPECT_EQ(end.code, 0) << end.err;
    return end.code ? -1 : Json::parse(end.out).at("total").get<int>();
  };
  EXPECT_EQ(total({}), 4);  // as in training
  EXPECT_EQ(total({"--split", "val"}), 4);
  EXPECT_EQ(total({"--split", "validation"}), 4);
  EXPECT_EQ(total({"--split", "test"}), 2);
  EXPECT_EQ(total({"--split", "train"}), 8);
  EXPECT_EQ(seen({"--data-dir", "data", "--split", "test"}).size(), 2u);
  // Where there is only one of them, both names mean it.
  fs::rename(*folder_ / "data/test", *folder_ / "data/.test");
  EXPECT_EQ(total({"--split", "test"}), 4);
  EXPECT_EQ(total({"--split", "val"}), 4);
}

}  // namespace
}  // namespace convoy::test
