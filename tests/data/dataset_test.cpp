#include "data/dataset.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>

#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

TEST(Dataset, UnknownNamesGetTheNearest) {
  test::expect_raises(Fault::usage,
                      {"unknown dataset 'cifar10'", "did you mean 'cifar-10'", "generated"},
                      [] { open_dataset("cifar10", {}); });
}

TEST(Dataset, IsInferredFromThePath) {
  EXPECT_EQ(infer_dataset("/data/ImageNet/records"), "imagenet");
  EXPECT_EQ(infer_dataset("/data/cifar100"), "cifar-100");
  EXPECT_EQ(infer_dataset("cifar-100-binary"), "cifar-100");
  EXPECT_EQ(infer_dataset("/x/cifar-10-batches-bin"), "cifar-10");
  EXPECT_EQ(infer_dataset("/usr/share/datasets/fashion-mnist"), "fashion-mnist");
}

TEST(Dataset, EachIsInferredFromEachOfItsPathWords) {
  for (const DatasetDef& def : dataset_catalog()) {
    for (const std::string_view word : def.path_words) {
      EXPECT_EQ(infer_dataset("/data/" + std::string(word) + "/files"), def.name) << word;
    }
  }
}

TEST(Dataset, IsInferredFromWhatIsInTheFolderBeforeItsName) {
  const test::TempFolder folder;
  const auto put = [&](const char* file) {
    fs::create_directories((folder / file).parent_path());
    test::write_bytes(folder / file, "x");
  };
  put("c10/data_batch_1.bin");
  put("archive/cifar-10-batches-bin/test_batch.bin");
  put("c100/train.bin");
  put("clothes/train-images-idx3-ubyte.gz");
  put("records/validation/validation-00000-of-00001");
  put("cifar-as-png/train/cat/1.png");
  put("my-imagenet/train/n01440764/1.jpg");
  put("photos/train/n01440764/1.jpg");
  for (const auto& [name, set] : {std::pair{"c10", "cifar-10"},
                                  {"archive", "cifar-10"},
                                  {"c100", "cifar-100"},
                                  {"clothes", "fashion-mnist"},
                                  {"records", "imagenet"},
                                  {"cifar-as-png", "imagefolder"},
                                  {"my-imagenet", "imagenet"},
                                  {"photos", "imagefolder"}}) {
    EXPECT_EQ(infer_dataset((folder / name).string()), set) << name;
  }
}

TEST(Dataset, FolderComesFromTheEnvironmentWhenNoneIsGiven) {
  const char* before = ::getenv("DATA_DIR");
  const std::string kept = before ? before : "";
  ::unsetenv("DATA_DIR");
  test::expect_raises(Fault::usage, {"cifar-10 needs a folder", "--data-dir"},
                      [] { open_dataset("cifar-10", {}); });
  ::setenv("DATA_DIR", "/nowhere/at/all", 1);
  test::expect_raises(Fault::data, {"/nowhere/at/all"}, [] { open_dataset("cifar-10", {}); });
  before ? ::setenv("DATA_DIR", kept.c_str(), 1) : ::unsetenv("DATA_DIR");
}

TEST(FashionMnist, ReadsPlainAndZippedFiles) {
  const test::TempFolder folder;
  test::write_fashion(folder.path(), "train", 23, true);
  test::write_fashion(folder.path(), "t10k", 11, false);
  const auto train = open_dataset("fashion-mnist", {.data_dir = folder.path(), .train = true});
  const auto test = open_dataset("fashion-mnist", {.data_dir = folder.path(), .train = false});
  EXPECT_EQ(train->size(), 23);
  EXPECT_EQ(test->size(), 11);
  EXPECT_EQ(train->image_shape(), (Shape{1, 28, 28}));
  EXPECT_EQ(train->class_names()[9], "Ankle boot");
  std::vector<uint8_t> pixels(784);
  int32_t label = -1;
  test::read_labelled(*train, 21, 0, pixels.data(), label);
  EXPECT_EQ(label, 1);
  EXPECT_EQ(pixels[100], (700 + 21) % 256);
}

TEST(FashionMnist, SaysWhatIsWrong) {
  const test::TempFolder folder;
  const auto open = [&] {
    open_dataset("fashion-mnist", {.data_dir = folder.path(), .train = true});
  };
  test::expect_raises(Fault::data, {"train-images-idx3-ubyte", "apt install dataset-fashion-mnist"},
                      open);

  test::write_fashion(folder.path(), "train", 5, false);
  const fs::path labels = folder / "train-labels-idx1-ubyte";
  const fs::path images = folder / "train-images-idx3-ubyte";
  test::write_bytes(labels, test::idx_bytes(0x801, {4}, std::string(4, '\1')));
  test::expect_raises(Fault::data, {"5 images", "4 labels"}, open);
  test::write_bytes(labels, test::idx_bytes(0x801, {5}, std::string("\1\2\x0a\3\4", 5)));
  test::expect_raises(Fault::data, {labels.string(), "record 2", "label 10"}, open);
  test::write_bytes(images, test::idx_bytes(0x803, {5, 4, 4}, std::string(80, '\1')));
  test::expect_raises(Fault::data, {"4x4", "28x28"}, open);
}

TEST(FashionMnist, OfDebianIsWhole) {
  const DatasetDef& def = find_dataset("fashion-mnist");
  if (!fs::exists(def.default_folder)) {
    GTEST_SKIP() << "NOT TESTED: apt install dataset-fashion-mnist";
  }
  const auto test = open_dataset("fashion-mnist", {.train = false});
  EXPECT_EQ(test->size(), 10000);
  const auto train = open_dataset("fashion-mnist", {.train = true});
  ASSERT_EQ(train->size(), 60000);
  std::vector<int> counts(10);
  std::vector<uint8_t> pixels(784);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < train->size(); ++i) {
    int32_t label = -1;
    test::read_labelled(*train, i, 0, pixels.data(), label);
    ++counts[static_cast<size_t>(label)];
    for (const int value : pixels) {
      sum += value;
      squares += value * value;
    }
  }
  EXPECT_EQ(counts, std::vector<int>(10, 6000));
  const double mean = sum / 60000 / 784;
  EXPECT_NEAR(mean / 255, def.mean[0], 1e-4);
  EXPECT_NEAR(std::sqrt(squares / 60000 / 784 - mean * mean) / 255, def.std[0], 1e-4);
}

TEST(Generated, IsAPureFunctionOfSeedAndIndex) {
  const DatasetSpec spec{.image = {3, 17, 9}, .classes = 5, .samples = 50, .seed = 3};
  const auto a = open_dataset("generated", spec), b = open_dataset("generated", spec);
  DatasetSpec other_seed = spec, test_split = spec;
  other_seed.seed = 4;
  test_split.train = false;
  const auto c = open_dataset("generated", other_seed), d = open_dataset("generated", test_split);
  ASSERT_EQ(a->size(), 50);
  ASSERT_EQ(a->image_shape(), spec.image);
  ASSERT_EQ(a->class_names().size(), 5u);
  const auto read = [&](const Dataset& set, int64_t index) {
    std::vector<uint8_t> pixels(static_cast<size_t>(spec.image.count()));
    int32_t label = -1;
    test::read_labelled(set, index, 0, pixels.data(), label);
    EXPECT_EQ(label, index % 5);
    return pixels;
  };
  for (const int64_t i : {49, 0, 7}) {
    EXPECT_EQ(read(*a, i), read(*b, i));
    EXPECT_NE(read(*a, i), read(*c, i));
    EXPECT_NE(read(*a, i), read(*d, i));
  }
  test::expect_raises(Fault::usage, {"--generated-samples"},
                      [] { open_dataset("generated", {.samples = 0}); });
}

// Nearest class mean, learnt on the training split, must work on the test split.
TEST(Generated, CanBeLearntAndHasTheStatisticsItClaims) {
  DatasetSpec spec{.image = {1, 16, 16}, .classes = 10, .samples = 1000, .seed = 1};
  const auto train = open_dataset("generated", spec);
  spec.train = false;
  const auto test = open_dataset("generated", spec);
  std::vector<std::vector<double>> means(10, std::vector<double>(256));
  std::vector<uint8_t> pixels(256);
  int32_t label = 0;
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    test::read_labelled(*train, i, 0, pixels.data(), label);
    for (size_t p = 0; p < 256; ++p) {
      means[static_cast<size_t>(label)][p] += pixels[p] / 100.0;
      sum += pixels[p];
      squares += pixels[p] * pixels[p];
    }
  }
  int right = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    test::read_labelled(*test, i, 0, pixels.data(), label);
    std::vector<double> distance(10);
    for (size_t k = 0; k < 10; ++k) {
      for (size_t p = 0; p < 256; ++p) distance[k] += std::pow(means[k][p] - pixels[p], 2);
    }
    right += std::min_element(distance.begin(), distance.end()) - distance.begin() == label;
  }
  EXPECT_GT(right, 900);
  const DatasetDef& def = find_dataset("generated");
  const double mean = sum / 256000;
  EXPECT_NEAR(mean / 255, def.mean[0], 0.01);
  EXPECT_NEAR(std::sqrt(squares / 256000 - mean * mean) / 255, def.std[0], 0.01);
}

}  // namespace
}  // namespace convoy
