// Fashion-MNIST: 60,000 and 10,000 grey images of 28x28, 10 kinds of clothing, as IDX files. It is
// a Debian package, so it works without a download.
#include "base/error.h"
#include "data/sources/idx_file.h"
#include "data/sources/memory_dataset.h"

namespace convoy {
namespace {

constexpr Shape image{1, 28, 28};
const std::vector<std::string> names{"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                     "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
const std::string source =
    "apt install dataset-fashion-mnist, or --data-dir with the folder of the IDX files";

std::unique_ptr<Dataset> open(const DatasetSpec& spec) {
  const std::string split = spec.train ? "train" : "t10k";
  IdxFile images = read_idx(spec.data_dir, split + "-images-idx3-ubyte", 3, source);
  IdxFile labels = read_idx(spec.data_dir, split + "-labels-idx1-ubyte", 1, source);
  if (images.dims[1] != image[1] || images.dims[2] != image[2]) {
    raise(Fault::data, "{} has images of {}x{}, expected 28x28; try: {}", images.path,
          images.dims[1], images.dims[2], source);
  }
  if (images.dims[0] != labels.dims[0] || images.dims[0] == 0) {
    raise(Fault::data, "{} has {} images, but {} has {} labels; try: {}", images.path,
          images.dims[0], labels.path, labels.dims[0], source);
  }
  for (size_t record = 0; record < labels.data.size(); ++record) {
    if (labels.data[record] >= names.size()) {
      raise(Fault::data, "{}: record {} has the label {}, but there are {} classes; try: {}",
            labels.path, record, labels.data[record], names.size(), source);
    }
  }
  return std::make_unique<MemoryDataset>(image, names, std::move(images.data),
                                         std::move(labels.data));
}

bool is_in(const fs::path& folder) {
  const std::string file = "train-images-idx3-ubyte";
  std::error_code ignored;
  return fs::is_regular_file(folder / file, ignored) ||
         fs::is_regular_file(folder / (file + ".gz"), ignored);
}

}  // namespace

DatasetDef fashion_mnist_dataset() {
  return {
      .name = "fashion-mnist",
      .help = "28x28 grey pictures of clothing, 10 classes (Debian: dataset-fashion-mnist)",
      .open = open,
      .mean = {0.28604},
      .std = {0.35302},
      .augment = {"pad-crop", "flip"},
      .default_folder = "/usr/share/datasets/fashion-mnist",
      .is_in = is_in,
      .path_words = {"fashion"},
      .published = {60000, 10000, 10, image},
  };
}

}  // namespace convoy
