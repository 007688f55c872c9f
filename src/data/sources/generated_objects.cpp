#include "data/sources/generated_objects.h"

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "boxes/box.h"
#include "data/objects.h"

namespace convoy {
namespace {

constexpr int64_t grid = 4;  // a pattern has grid x grid cells per channel
constexpr uint32_t most_objects = 4;
constexpr double smallest = 0.2, largest = 0.6;  // sides of an object, as parts of the image's
constexpr uint32_t noise_range = 64;             // of the background, from `darkest` on
constexpr int darkest = 96;

struct Placed {
  int32_t label;                // from 1
  int64_t x, y, width, height;  // in pixels

  bool covers(int64_t column, int64_t row) const {
    return column >= x && column < x + width && row >= y && row < y + height;
  }
};

class GeneratedObjects final : public Dataset {
 public:
  explicit GeneratedObjects(const DatasetSpec& spec) : spec_(spec) {
    for (int label = 0; label < spec.classes; ++label) {
      Random random(random_key(spec.seed, Purpose::generated, 0, static_cast<uint64_t>(label)));
      for (int64_t i = 0; i < spec.image[0] * grid * grid; ++i) {
        patterns_.push_back(static_cast<uint8_t>(random.below(256)));
      }
    }
  }

  int64_t size() const override { return spec_.samples; }
  Shape image_shape() const override { return spec_.image; }
  int classes() const override { return spec_.classes; }
  std::vector<std::string> class_names() const override {
    std::vector<std::string> names{"background"};
    for (int label = 1; label < spec_.classes; ++label) {
      names.push_back(fmt::format("class {}", label));
    }
    return names;
  }
  TensorList tensors() const override { return object_tensor::fixed(); }

  void read(int64_t index, uint64_t, Sample& sample) const override {
    Random random(random_key(spec_.seed, Purpose::generated, spec_.train ? 1 : 2,
                             static_cast<uint64_t>(index)));
    const std::vector<Placed> objects = place(random);
    add_tensors(objects, index, sample);
    sample.geometry = whole_picture(spec_.image);
    uint8_t* pixels = sample.pixels();
    for (int64_t i = 0; i < spec_.image.count(); ++i) {
      pixels[i] = static_cast<uint8_t>(darkest + static_cast<int>(random.below(noise_range)));
    }
    for (const Placed& object : objects) draw(object, pixels);
  }

 private:
  std::vector<Placed> place(Random& random) const {
    const int64_t h = spec_.image[1], w = spec_.image[2];
    const auto side = [&](int64_t whole) {
      const double part = smallest + (largest - smallest) * random.uniform();
      return std::max<int64_t>(1, static_cast<int64_t>(part * static_cast<double>(whole)));
    };
    std::vector<Placed> objects(1 + random.below(most_objects));
    for (Placed& object : objects) {
      object.label =
          1 + static_cast<int32_t>(random.below(static_cast<uint32_t>(spec_.classes - 1)));
      object.width = side(w);
      object.height = side(h);
      object.x = random.below(static_cast<uint32_t>(w - object.width + 1));
      object.y = random.below(static_cast<uint32_t>(h - object.height + 1));
    }
    return objects;
  }

  void draw(const Placed& object, uint8_t* pixels) const {
    const uint8_t* pattern = patterns_.data() + object.label * spec_.image[0] * grid * grid;
    const int64_t h = spec_.image[1], w = spec_.image[2];
    for (int64_t c = 0; c < spec_.image[0]; ++c) {
      for (int64_t y = 0; y < object.height; ++y) {
        const uint8_t* cells = pattern + (c * grid + y * grid / object.height) * grid;
        uint8_t* row = pixels + (c * h + object.y + y) * w + object.x;
        for (int64_t x = 0; x < object.width; ++x) row[x] = cells[x * grid / object.width];
      }
    }
  }

  void add_tensors(const std::vector<Placed>& objects, int64_t index, Sample& sample) const {
    const double h = static_cast<double>(spec_.image[1]), w = static_cast<double>(spec_.image[2]);
    std::vector<Box> boxes;
    std::vector<int32_t> classes;
    std::vector<double> truth;
    for (const Placed& o : objects) {
      const auto x = static_cast<double>(o.x), y = static_cast<double>(o.y);
      const auto width = static_cast<double>(o.width), height = static_cast<double>(o.height);
      boxes.push_back({static_cast<float>(y / h), static_cast<float>(x / w),
                       static_cast<float>((y + height) / h), static_cast<float>((x + width) / w)});
      classes.push_back(o.label);
      truth.insert(truth.end(),
                   {x, y, width, height, static_cast<double>(o.label), width * height, 0});
    }
    object_tensor::add({boxes, classes, truth, index, spec_.image[1], spec_.image[2]}, sample);
  }

  DatasetSpec spec_;
  std::vector<uint8_t> patterns_;  // [classes][c][grid][grid]
};

}  // namespace

std::unique_ptr<Dataset> generated_objects(const DatasetSpec& spec) {
  if (spec.classes < 2) {
    raise(Fault::usage,
          "generated objects need a class beside the background; try: "
          "--generated-classes 2");
  }
  return std::make_unique<GeneratedObjects>(spec);
}

}  // namespace convoy
