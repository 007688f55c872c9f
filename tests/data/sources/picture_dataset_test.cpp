#include "data/sources/picture_dataset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "data/sources/folder_source.h"
#include "pictures/exif.h"
#include "pictures/jpeg_pack.h"
#include "support/fixture.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

// One picture, as often as is asked for.
class OnePicture final : public PictureSource {
 public:
  explicit OnePicture(std::string bytes) : bytes_(std::move(bytes)) {}
  int64_t size() const override { return 3; }
  std::vector<std::string> class_names() const override { return {"a", "b", "c"}; }
  std::string origin(int64_t index) const override { return "picture " + std::to_string(index); }
  void read(int64_t index, EncodedPicture& picture) const override {
    picture.bytes = bytes_;
    picture.label = static_cast<int32_t>(index);
    picture.boxes.clear();
  }

 private:
  std::string bytes_;
};

std::string photo() { return read_file(test::fixture_path("pictures/hopper.jpg"), Fault::bug); }

std::vector<uint8_t> image_of(const std::string& bytes, const PictureSpec& spec, uint64_t key = 1) {
  const PictureDataset set(std::make_unique<OnePicture>(bytes), spec);
  std::vector<uint8_t> pixels(static_cast<size_t>(set.image_shape().count()));
  int32_t label = -1;
  test::read_labelled(set, 2, key, pixels.data(), label);
  EXPECT_EQ(label, 2 + spec.label_offset);
  return pixels;
}

OptionTexts resized(int64_t pixels) { return {{"eval-resize", std::to_string(pixels)}}; }

double difference(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

// The image of a view of floats.
std::vector<float> floats_of(const std::string& bytes, const PictureSpec& spec, uint64_t key) {
  const PictureDataset set(std::make_unique<OnePicture>(bytes), spec);
  EXPECT_EQ(set.image_type(), DType::f32);
  std::vector<float> values(static_cast<size_t>(set.image_shape().count()));
  Sample sample;
  sample.begin(values.data(), DType::f32);
  set.read(2, key, sample);
  return values;
}

TEST(PictureDataset, GivesTheViewOfTheWholeDecodedPicture) {
  const Pixels whole = decode_picture(photo(), "photo", false);
  for (const ViewDef& def : view_catalog()) {
    const std::string view(def.name);
    for (uint64_t key = 0; key < 20; ++key) {
      const PictureSpec spec{.size = 48, .view = view, .options = resized(56)};
      const PictureView wanted = find_view(view).make(spec)->make(
          whole.region.width, whole.region.height, {}, Random(key));
      Resizer resizer;
      resizer.plan(wanted, whole.region.width, whole.region.height, def.how.value_or(spec.how));
      const std::string packed = pack_jpeg(photo(), "photo");
      if (def.floats) {
        std::vector<float> image(3 * 48 * 48);
        resizer.run(whole, image.data());
        ASSERT_EQ(floats_of(photo(), spec, key), image) << view << " " << key;
        ASSERT_EQ(floats_of(packed, spec, key), image) << view << " packed";
      } else {
        std::vector<uint8_t> image(3 * 48 * 48);
        resizer.run(whole, image.data());
        ASSERT_EQ(image_of(photo(), spec, key), image) << view << " " << key;
        ASSERT_EQ(image_of(packed, spec, key), image) << view << " packed";
      }
    }
  }
}

TEST(PictureDataset, FloatsRoundToTheBytes) {
  const PictureSpec spec{.size = 48, .view = "ssd-whole"};
  const PictureSpec bytes{
      .size = 48, .view = "squash", .options = resized(48), .how = Interpolation::legacy_bilinear};
  const std::vector<float> values = floats_of(photo(), spec, 0);
  const std::vector<uint8_t> rounded = image_of(photo(), bytes, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(std::floor(values[i] + 0.5f), static_cast<float>(rounded[i])) << i;
  }
  PictureSpec other = spec;
  other.bgr = true;
  const std::vector<float> bgr = floats_of(photo(), other, 0);
  EXPECT_TRUE(std::equal(values.begin(), values.begin() + 48 * 48, bgr.begin() + 2 * 48 * 48));
  other.bgr = false;
  other.channels = 1;
  const std::vector<float> grey = floats_of(photo(), other, 0);
  ASSERT_EQ(grey.size(), 2304u);
  for (size_t i = 0; i < grey.size(); ++i) {
    ASSERT_NEAR(grey[i], 0.299 * values[i] + 0.587 * values[2304 + i] + 0.114 * values[4608 + i],
                1e-2);
  }
}

// The photo three times, with one object; counts how often it is read.
class CountedPictures final : public PictureSource {
 public:
  explicit CountedPictures(int& reads) : reads_(reads) {}
  int64_t size() const override { return 3; }
  std::vector<std::string> class_names() const override { return {"a"}; }
  std::string origin(int64_t) const override { return "photo"; }
  bool has_objects() const override { return true; }
  int64_t decoded_bytes() const override { return 3 * 128 * 128 * 4; }
  void read(int64_t index, EncodedPicture& picture) const override {
    ++reads_;
    picture.bytes = photo();
    picture.boxes = {{0.25f, 0.25f, 0.75f, 0.5f}};
    picture.objects = {.classes = {1}, .truth = {}, .image_id = index, .width = 128, .height = 128};
  }

 private:
  int& reads_;
};

TEST(PictureDataset, PicturesThatFitAreDecodedOnce) {
  for (const char* view : {"ssd-crop", "random-resized"}) {
    const PictureSpec spec{.size = 48, .view = view};
    PictureSpec fresh = spec;
    fresh.cache = false;
    int kept_reads = 0, few_reads = 0, fresh_reads = 0;
    const auto have = [](int64_t bytes) { return FreeMemory{[=] { return bytes; }, 1000}; };
    const PictureDataset kept(std::make_unique<CountedPictures>(kept_reads), spec, have(1 << 20));
    const PictureDataset few(std::make_unique<CountedPictures>(few_reads), spec, have(900));
    const PictureDataset plain(std::make_unique<CountedPictures>(fresh_reads), fresh);
    const auto image_from = [&](const PictureDataset& set, int64_t index, uint64_t key) {
      std::string image(stored_bytes(set.image()), '\0');
      Sample sample;
      sample.begin(image.data(), set.image_type());
      set.read(index, key, sample);
      EXPECT_EQ(sample.get<int64_t>("image_id")[0], index);
      EXPECT_EQ(sample.get<float>("boxes").size(), 4u);
      return std::pair{image, sample.geometry.x.shift};
    };
    for (uint64_t key = 0; key < 8; ++key) {
      for (int64_t index = 0; index < 3; ++index) {
        const auto image = image_from(plain, index, key);
        ASSERT_EQ(image_from(kept, index, key), image) << view;
        ASSERT_EQ(image_from(few, index, key), image) << view;
      }
    }
    EXPECT_EQ(kept_reads, 3);
    EXPECT_EQ(few_reads, 24);
    EXPECT_EQ(fresh_reads, 24);
  }
}

TEST(PictureDataset, FastDecodingLooksAlike) {
  for (const int64_t size : {12, 24, 60, 120}) {
    const PictureSpec exact{.size = size, .options = resized(size)};
    PictureSpec fast = exact;
    fast.decode = DecodeSpeed::fast;
    EXPECT_LT(difference(image_of(photo(), exact), image_of(photo(), fast)), 6) << size;
  }
}

TEST(PictureDataset, ChannelsAndLabelsAreAsAskedFor) {
  const PictureSpec spec{.size = 32, .options = resized(32), .label_offset = 1};
  const std::vector<uint8_t> rgb = image_of(photo(), spec);
  PictureSpec other = spec;
  other.bgr = true;
  const std::vector<uint8_t> bgr = image_of(photo(), other);
  EXPECT_TRUE(std::equal(rgb.begin(), rgb.begin() + 1024, bgr.begin() + 2048));
  EXPECT_TRUE(std::equal(rgb.begin() + 1024, rgb.begin() + 2048, bgr.begin() + 1024));
  other.bgr = false;
  other.channels = 1;
  const std::vector<uint8_t> grey = image_of(photo(), other);
  ASSERT_EQ(grey.size(), 1024u);
  for (size_t i = 0; i < 1024; ++i) {
    EXPECT_NEAR(grey[i], 0.299 * rgb[i] + 0.587 * rgb[1024 + i] + 0.114 * rgb[2048 + i], 0.51);
  }
  const PictureDataset set(std::make_unique<OnePicture>(photo()), spec);
  EXPECT_EQ(set.classes(), 4);
  EXPECT_EQ(set.class_names(), (std::vector<std::string>{"background", "a", "b", "c"}));
}

TEST(PictureDataset, TurnsPicturesOnlyWhenAsked) {
  // The photo lying on its side, with EXIF data that say so: orientation 6.
  Pixels lying = decode_picture(photo(), "photo", false);
  turn_upright(lying, 8);
  std::string bytes = encode_jpeg(lying, 100);
  const std::string exif(
      "\xff\xe1\x00\x22"
      "Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0",
      36);
  bytes.insert(2, exif);
  PictureSpec spec{.size = 40, .options = resized(40)};
  const std::vector<uint8_t> upright = image_of(photo(), spec);
  EXPECT_GT(difference(image_of(bytes, spec), upright), 15);
  spec.upright = true;
  EXPECT_LT(difference(image_of(bytes, spec), upright), 3);
  for (const auto& view : {"centre", "random-resized"}) {
    spec.view = view;
    spec.decode = DecodeSpeed::fast;  // it must not shrink what it turns
    EXPECT_LT(difference(image_of(bytes, spec), image_of(photo(), spec)), 8) << view;
  }
}

TEST(PictureDataset, WhatIsNoPictureIsNamed) {
  for (const std::string& bytes : {std::string(), std::string("GIF89a"), photo().substr(0, 700)}) {
    const PictureDataset set(std::make_unique<OnePicture>(bytes),
                             {.size = 32, .options = resized(32)});
    std::vector<uint8_t> pixels(3 * 32 * 32);
    int32_t label = 0;
    test::expect_raises(Fault::data, {"picture 1"},
                        [&] { test::read_labelled(set, 1, 0, pixels.data(), label); });
    test::expect_raises(Fault::data, {"picture 2"},
                        [&] { test::read_labelled(set, 2, 0, pixels.data(), label); });
  }
}

}  // namespace
}  // namespace convoy
