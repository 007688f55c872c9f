#include "data/mixing/mosaic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/random.h"
#include "data/detection_form.h"
#include "data/loading/loader.h"
#include "data/objects.h"

namespace convoy {
namespace {

constexpr int64_t height = 40, width = 60;

// Black images, each with one bright box; its class is the sample's number + 1.
class SpotDataset final : public Dataset {
 public:
  explicit SpotDataset(DType type) : type_(type) {}

  int64_t size() const override { return 12; }
  Shape image_shape() const override { return {3, height, width}; }
  DType image_type() const override { return type_; }
  int classes() const override { return 13; }
  std::vector<std::string> class_names() const override {
    return std::vector<std::string>(13, "spot");
  }
  TensorList tensors() const override { return object_tensor::fixed(); }

  void read(int64_t index, uint64_t key, Sample& sample) const override {
    Random random(mix(key + static_cast<uint64_t>(index)));
    const int64_t y = random.below(25), x = random.below(40), h = 8 + random.below(7),
                  w = 8 + random.below(12);
    for (int64_t at = 0; at < 3 * height * width; ++at) {
      const int64_t row = at / width % height, column = at % width;
      const bool bright = row >= y && row < y + h && column >= x && column < x + w;
      if (type_ == DType::u8) {
        sample.pixels()[at] = bright ? 200 : 0;
      } else {
        sample.values()[at] = bright ? 200 : 0;
      }
    }
    const auto part = [](int64_t a, int64_t of) {
      return static_cast<float>(a) / static_cast<float>(of);
    };
    const Box box{part(y, height), part(x, width), part(y + h, height), part(x + w, width)};
    const auto label = static_cast<int32_t>(index + 1);
    object_tensor::add({{&box, 1}, {&label, 1}, {}, index, height, width}, sample);
    sample.geometry = whole_picture(image_shape());
  }

 private:
  DType type_;
};

struct Made {
  std::vector<float> pixels;  // of the first plane
  std::vector<Box> boxes;     // in pixels
  std::vector<int32_t> classes;
};

Made made_by(MosaicMaker& maker, DType type, int64_t index, uint64_t key) {
  std::vector<float> floats(3 * height * width);
  std::vector<uint8_t> bytes(floats.size());
  Sample sample;
  sample.begin(type == DType::u8 ? static_cast<void*>(bytes.data()) : floats.data(), type);
  maker.read(index, key, sample);
  Made made;
  for (size_t i = 0; i < height * width; ++i) {
    made.pixels.push_back(type == DType::u8 ? static_cast<float>(bytes[i]) : floats[i]);
  }
  const auto sides = sample.get<float>(object_tensor::boxes);
  for (size_t i = 0; i < sides.size(); i += 4) {
    made.boxes.push_back(
        {sides[i] * height, sides[i + 1] * width, sides[i + 2] * height, sides[i + 3] * width});
  }
  const auto classes = sample.get<int32_t>(object_tensor::classes);
  made.classes.assign(classes.begin(), classes.end());
  return made;
}

bool has(const Box& box, double y, double x, double margin) {
  return y > static_cast<double>(box.ymin) - margin && y < static_cast<double>(box.ymax) + margin &&
         x > static_cast<double>(box.xmin) - margin && x < static_cast<double>(box.xmax) + margin;
}

TEST(Mosaic, BoxesLieWhereTheirPixelsAre) {
  for (const DType type : {DType::u8, DType::f32}) {
    const SpotDataset data(type);
    MosaicMaker maker(data);
    int64_t boxes = 0, bright = 0, alone = 0;
    for (uint64_t key = 0; key < 40; ++key) {
      const Made made = made_by(maker, type, static_cast<int64_t>(key % 12), key);
      boxes += std::ssize(made.boxes);
      for (int64_t at = 0; at < height * width; ++at) {
        const double y = static_cast<double>(at / width) + 0.5,
                     x = static_cast<double>(at % width) + 0.5;
        const float value = made.pixels[static_cast<size_t>(at)];
        // Deep inside of a box all is bright; what is bright is in a box, unless most of its object
        // is in no quarter.
        for (const Box& box : made.boxes) {
          if (has(box, y, x, -1.2)) {
            EXPECT_GT(value, 190) << key << " " << at;
          }
        }
        bright += value > 100;
        alone += value > 100 && std::ranges::none_of(made.boxes, [&](const Box& box) {
                   return has(box, y, x, 0.8);
                 });
      }
    }
    EXPECT_GT(boxes, 60);
    EXPECT_LT(boxes, 160);
    EXPECT_LT(alone * 5, bright);
  }
}

TEST(Mosaic, FollowsFromSampleAndKey) {
  const SpotDataset data(DType::f32);
  MosaicMaker maker(data), other(data);
  std::set<int32_t> partners;
  for (uint64_t key = 0; key < 30; ++key) {
    const Made made = made_by(maker, DType::f32, 3, key),
               again = made_by(other, DType::f32, 3, key);
    EXPECT_EQ(made.pixels, again.pixels);
    EXPECT_EQ(made.boxes, again.boxes);
    EXPECT_EQ(made.classes, again.classes);
    EXPECT_NE(made.pixels, made_by(maker, DType::f32, 4, key).pixels);
    partners.insert(made.classes.begin(), made.classes.end());
  }
  EXPECT_GT(partners.size(), 8u);
}

TEST(MosaicRule, PicksAShareOfTheSamplesUntilAnEpoch) {
  const MosaicRule rule{.share = 0.25, .until_epoch = 3};
  int picked = 0;
  for (uint64_t i = 0; i < 4000; ++i) {
    picked += rule.picks(2, mix(i + 1));
    EXPECT_FALSE(rule.picks(3, mix(i + 1)));
    EXPECT_TRUE((MosaicRule{.share = 1, .until_epoch = 3}).picks(0, mix(i + 1)));
  }
  EXPECT_NEAR(picked, 1000, 100);
  EXPECT_FALSE(MosaicRule{}.on());
}

const DefaultBoxSpec& boxes() {
  static const DefaultBoxSpec spec{
      .image = 60, .maps = {{.cells = 4, .step = 15, .shapes = ssd_shapes(60, 12, 20, {2})}}};
  return spec;
}

// Of the steps from `first` on, with this number of workers.
std::vector<std::string> batches(const MosaicRule& rule, int64_t first, int workers) {
  const SpotDataset data(DType::f32);
  const AugmentChain chain({}, {}, data.image_shape());
  const DetectionForm form(boxes(), data.image_shape());
  const EpochPlan plan(data.size(), 4, 4, EpochTail::drop);
  LoaderSpec spec{.batch = 4, .last_step = 12, .seed = 5, .workers = workers};
  spec.first_step = first;
  spec.form = &form;
  spec.mosaic = rule;
  Loader loader(data, chain, plan, spec);
  std::vector<std::string> all;
  while (!loader.done()) {
    std::string bytes;
    for (const NamedTensor& tensor : loader.next().tensors()) {
      bytes.append(reinterpret_cast<const char*>(tensor.data), stored_bytes(tensor.type));
    }
    all.push_back(std::move(bytes));
  }
  return all;
}

TEST(Mosaic, BatchesDependNeitherOnWorkersNorOnAResume) {
  const MosaicRule rule{.share = 0.5, .until_epoch = 3};
  const auto whole = batches(rule, 0, 1);
  EXPECT_EQ(batches(rule, 0, 3), whole);
  const auto rest = batches(rule, 5, 2);
  EXPECT_TRUE(std::ranges::equal(rest, std::span(whole).subspan(5)));
  // Steps 9 to 11 are the last epoch, without mosaics; in those before it some differ.
  const auto plain = batches({}, 0, 1);
  EXPECT_TRUE(std::equal(whole.begin() + 9, whole.end(), plain.begin() + 9));
  EXPECT_NE(whole, plain);
}

}  // namespace
}  // namespace convoy
