// Generated images that a network can learn: each class has a coarse pattern, each image is its
// class's pattern plus noise. A pure function of seed and index, for benchmarks, tests and dry
// runs.
#include "base/error.h"
#include "base/random.h"
#include "data/dataset.h"
#include "data/sources/generated_objects.h"

namespace convoy {
namespace {

constexpr int64_t grid = 8;        // a pattern has grid x grid cells per channel
constexpr int pattern_range = 96;  // cells are in 80..175, noise adds -64..63: fits in a byte
constexpr int lowest_pattern = 80;

class Generated final : public Dataset {
 public:
  explicit Generated(const DatasetSpec& spec) : spec_(spec) {
    for (int64_t x = 0; x < spec.image[2]; ++x) {
      cell_of_column_.push_back(static_cast<uint8_t>(x * grid / spec.image[2]));
    }
    patterns_.reserve(static_cast<size_t>(spec.classes * pattern_size()));
    for (int label = 0; label < spec.classes; ++label) {
      // Both splits use the same patterns, so evaluation measures what was learnt.
      Random random(random_key(spec.seed, Purpose::generated, 0, static_cast<uint64_t>(label)));
      for (int64_t i = 0; i < pattern_size(); ++i) {
        patterns_.push_back(static_cast<uint8_t>(lowest_pattern + random.below(pattern_range)));
      }
    }
  }

  int64_t size() const override { return spec_.samples; }
  Shape image_shape() const override { return spec_.image; }
  int classes() const override { return spec_.classes; }
  std::vector<std::string> class_names() const override {
    std::vector<std::string> names;
    for (int label = 0; label < spec_.classes; ++label)
      names.push_back(fmt::format("class {}", label));
    return names;
  }

  std::vector<int64_t> class_counts() const override {
    std::vector<int64_t> counts(static_cast<size_t>(spec_.classes), spec_.samples / spec_.classes);
    for (int64_t i = 0; i < spec_.samples % spec_.classes; ++i) ++counts[static_cast<size_t>(i)];
    return counts;
  }

  void read(int64_t index, uint64_t, Sample& sample) const override {
    const auto label = static_cast<int32_t>(index % spec_.classes);
    sample.add_label(label);
    sample.geometry = whole_picture(spec_.image);
    uint8_t* pixels = sample.pixels();
    Random random(random_key(spec_.seed, Purpose::generated, spec_.train ? 1 : 2,
                             static_cast<uint64_t>(index)));
    const uint8_t* pattern = patterns_.data() + label * pattern_size();
    const int64_t h = spec_.image[1], w = spec_.image[2];
    uint64_t noise = 0;
    int left = 0;  // unused bytes of noise
    for (int64_t c = 0; c < spec_.image[0]; ++c) {
      for (int64_t y = 0; y < h; ++y) {
        const uint8_t* cells = pattern + (c * grid + y * grid / h) * grid;
        for (int64_t x = 0; x < w; ++x) {
          if (left == 0) {
            noise = random.bits();
            left = 8;
          }
          *pixels++ = static_cast<uint8_t>(cells[cell_of_column_[static_cast<size_t>(x)]] +
                                           static_cast<int>(noise & 127) - 64);
          noise >>= 8;
          --left;
        }
      }
    }
  }

 private:
  int64_t pattern_size() const { return spec_.image[0] * grid * grid; }

  DatasetSpec spec_;
  std::vector<uint8_t> cell_of_column_;
  std::vector<uint8_t> patterns_;  // [classes][c][grid][grid]
};

}  // namespace

DatasetDef generated_dataset() {
  return {
      .name = "generated",
      .help = "random images with a learnable pattern per class, of any size; no files",
      .open = [](const DatasetSpec& spec) -> std::unique_ptr<Dataset> {
        if (spec.image.rank() != 3 || spec.image.count() < 1 || spec.classes < 1 ||
            spec.samples < 1) {
          raise(Fault::usage,
                "generated data of {} images of {} in {} classes is empty; try: larger values of "
                "--generated-image-size, --generated-classes, --generated-samples",
                spec.samples, to_string(spec.image), spec.classes);
        }
        if (spec.objects) return generated_objects(spec);
        return std::make_unique<Generated>(spec);
      },
      .mean = {0.499},
      .std = {0.1816},
      .augment = {},
      .has_files = false,
  };
}

}  // namespace convoy
