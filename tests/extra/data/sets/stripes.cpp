// A dataset without files: stripes that lie or stand, under noise.
#include "base/random.h"
#include "data/sources/memory_dataset.h"

namespace convoy {
namespace {

std::unique_ptr<Dataset> open(const DatasetSpec& spec) {
  const Shape image{3, 16, 16};
  std::vector<uint8_t> pixels, labels;
  for (uint64_t i = 0; i < (spec.train ? 64 : 32); ++i) {
    Random random(random_key(spec.seed, Purpose::generated, spec.train ? 1 : 2, i));
    labels.push_back(static_cast<uint8_t>(i % 2));
    for (int64_t at = 0; at < image.count(); ++at) {
      const int64_t place = i % 2 ? at / image[2] : at;
      pixels.push_back(static_cast<uint8_t>((place & 2 ? 150 : 50) + random.below(50)));
    }
  }
  const std::vector<std::string> names{"standing", "lying"};
  return std::make_unique<MemoryDataset>(image, names, std::move(pixels), std::move(labels));
}

}  // namespace

DatasetDef stripes_dataset() {
  return {
      .name = "stripes",
      .help = "stripes that lie or stand, 16 pixels wide",
      .open = open,
      .mean = {0.5},
      .std = {0.2},
      .augment = {"flip"},
      .has_files = false,
  };
}

}  // namespace convoy
