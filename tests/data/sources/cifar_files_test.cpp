#include "data/sources/cifar_files.h"

#include <gtest/gtest.h>

#include "support/raises.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::cifar_bytes;
using test::write_bytes;

void write_cifar10(const fs::path& folder, int records) {
  fs::create_directories(folder);
  for (int i = 1; i <= 5; ++i) {
    write_bytes(folder / fmt::format("data_batch_{}.bin", i), cifar_bytes(records, 1, 10));
  }
  write_bytes(folder / "test_batch.bin", cifar_bytes(records + 1, 1, 10));
}

TEST(Cifar, ReadsBothSplitsFromTheFolderOrBelowIt) {
  const test::TempFolder folder;
  write_cifar10(folder / "direct", 12);
  write_cifar10(folder / "above/cifar-10-batches-bin", 12);
  for (const char* name : {"direct", "above"}) {
    const auto train = open_dataset("cifar-10", {.data_dir = folder / name, .train = true});
    const auto test = open_dataset("cifar-10", {.data_dir = folder / name, .train = false});
    EXPECT_EQ(train->size(), 60);
    EXPECT_EQ(test->size(), 13);
    EXPECT_EQ(train->image_shape(), (Shape{3, 32, 32}));
    EXPECT_EQ(train->classes(), 10);
    EXPECT_EQ(train->class_names()[6], "frog");
    std::vector<uint8_t> pixels(3072);
    int32_t label = -1;
    test::read_labelled(*train, 12 + 11, 0, pixels.data(), label);  // record 11 of the second file
    EXPECT_EQ(label, 1);
    EXPECT_EQ(pixels[0], 11);
    EXPECT_EQ(pixels[3071], (3071 + 11) % 256);
  }
}

TEST(Cifar, TakesTheFineLabelOfCifar100) {
  const test::TempFolder folder;
  fs::create_directories(folder / "cifar-100-binary");
  write_bytes(folder / "cifar-100-binary/train.bin", cifar_bytes(150, 2, 100));
  const auto set = open_dataset("cifar-100", {.data_dir = folder.path(), .train = true});
  EXPECT_EQ(set->size(), 150);
  ASSERT_EQ(set->class_names().size(), 100u);
  EXPECT_EQ(set->class_names()[99], "worm");
  std::vector<uint8_t> pixels(3072);
  int32_t label = -1;
  test::read_labelled(*set, 142, 0, pixels.data(), label);
  EXPECT_EQ(label, 42);
  EXPECT_EQ(pixels[5], (5 + 142) % 256);
}

TEST(Cifar, SaysWhatIsWrongWithAFile) {
  const test::TempFolder folder;
  const auto open = [&](bool train) {
    return open_dataset("cifar-10", {.data_dir = folder.path(), .train = train});
  };
  test::expect_raises(Fault::data, {"no data_batch_1.bin", "cifar-10-batches-bin", "try:"},
                      [&] { open(true); });
  write_cifar10(folder.path(), 12);
  fs::remove(folder / "data_batch_4.bin");
  test::expect_raises(Fault::data, {"no data_batch_4.bin"}, [&] { open(true); });

  const std::string good = cifar_bytes(12, 1, 10);
  write_bytes(folder / "data_batch_4.bin", good.substr(0, good.size() - 1));
  test::expect_raises(Fault::data, {"data_batch_4.bin is truncated", "36875 bytes", "3073"},
                      [&] { open(true); });
  write_bytes(folder / "test_batch.bin", "");
  test::expect_raises(Fault::data, {"test_batch.bin is truncated"}, [&] { open(false); });

  std::string bad = good;
  bad[3073 * 7] = 10;
  write_bytes(folder / "data_batch_4.bin", bad);
  test::expect_raises(Fault::data, {"data_batch_4.bin", "record 7", "label 10", "10 classes"},
                      [&] { open(true); });
}

// Half of an official file is a whole number of records, too.
TEST(Cifar, SeesAnOfficialFileCutOffAtARecordsEnd) {
  const test::TempFolder folder;
  write_cifar10(folder.path(), 5000 / 1000);
  fs::resize_file(folder / "data_batch_1.bin", 3073 * 10000);  // zeros: label 0, black
  fs::resize_file(folder / "test_batch.bin", 3073 * 5000);
  test::expect_raises(
      Fault::data, {"test_batch.bin is truncated", "5000 records", "expected 10000"},
      [&] { open_dataset("cifar-10", {.data_dir = folder.path(), .train = false}); });
}

TEST(Cifar, ReadsTheRealTestBatch) {
  const auto packed = test::shared_data("cifar10/test_batch.bin.xz");
  if (!packed) GTEST_SKIP() << "the real CIFAR-10 test batch is not here";
  const test::TempFolder folder;
  write_bytes(folder / "test_batch.bin", test::read_xz(*packed));
  const auto set = open_dataset("cifar-10", {.data_dir = folder.path(), .train = false});
  ASSERT_EQ(set->size(), 10000);
  std::vector<int> counts(10);
  std::vector<uint8_t> pixels(3072);
  std::vector<double> sums(3);
  for (int64_t i = 0; i < set->size(); ++i) {
    int32_t label = -1;
    test::read_labelled(*set, i, 0, pixels.data(), label);
    ++counts[static_cast<size_t>(label)];
    for (size_t p = 0; p < 3072; ++p) sums[p / 1024] += pixels[p];
    if (i == 0) {
      EXPECT_EQ(set->class_names()[static_cast<size_t>(label)], "cat");
    }
  }
  EXPECT_EQ(counts, std::vector<int>(10, 1000));
  const std::vector<double>& mean = find_dataset("cifar-10").mean;  // of the training set: near
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(sums[c] / 10000 / 1024 / 255, mean[c], 0.01);
}

}  // namespace
}  // namespace convoy
