// CIFAR-10: 50,000 and 10,000 colour images of 32x32 in 10 classes, as the official binary files.
#include "data/sources/cifar_files.h"

namespace convoy {
namespace {

const CifarFormat format{
    .files = {{"data_batch_1.bin", 10000, true},
              {"data_batch_2.bin", 10000, true},
              {"data_batch_3.bin", 10000, true},
              {"data_batch_4.bin", 10000, true},
              {"data_batch_5.bin", 10000, true},
              {"test_batch.bin", 10000, false}},
    .folder = "cifar-10-batches-bin",
    .label_bytes = 1,
    .names = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship",
              "truck"},
};

}  // namespace

DatasetDef cifar10_dataset() {
  return {
      .name = "cifar-10",
      .help =
          "32x32 colour photos, 10 classes; data_batch_1.bin to _5.bin, test_batch.bin in "
          "--data-dir",
      .open = [](const DatasetSpec& spec) { return open_cifar(format, spec.data_dir, spec.train); },
      .mean = {0.49140, 0.48216, 0.44653},
      .std = {0.24703, 0.24349, 0.26159},
      .augment = {"pad-crop", "flip"},
      .is_in = [](const fs::path& folder) { return has_cifar(format, folder); },
      .path_words = {"cifar"},
      .published = {50000, 10000, 10, {3, 32, 32}},
  };
}

}  // namespace convoy
