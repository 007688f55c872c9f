#include "pictures/exif.h"

#include <gtest/gtest.h>

#include "pictures/files.h"
#include "support/shared_data.h"

namespace convoy::test {
namespace {

// A TIFF header with a directory of one entry.
std::string tiff(bool big, uint32_t tag, uint32_t type, uint32_t value) {
  std::string bytes = big ? "MM" : "II";
  const auto add = [&](uint32_t number, int size) {
    for (int i = 0; i < size; ++i) {
      bytes.push_back(static_cast<char>(number >> (8 * (big ? size - 1 - i : i))));
    }
  };
  add(42, 2);
  add(8, 4);
  add(1, 2);
  add(tag, 2);
  add(type, 2);
  add(1, 4);
  constexpr uint32_t type_short = 3;
  add(value, type == type_short ? 2 : 4);
  if (type == type_short) add(0, 2);
  return bytes;
}

TEST(Exif, TheOrientationIsFoundInEitherByteOrder) {
  for (const bool big : {false, true}) {
    for (const uint32_t type : {3u, 4u}) {
      for (uint32_t o = 1; o <= 8; ++o) {
        EXPECT_EQ(exif_orientation(tiff(big, 0x112, type, o)), static_cast<int>(o));
      }
    }
    EXPECT_EQ(exif_orientation(tiff(big, 0x112, 3, 0)), 1);
    EXPECT_EQ(exif_orientation(tiff(big, 0x112, 3, 9)), 1);
    EXPECT_EQ(exif_orientation(tiff(big, 0x113, 3, 6)), 1);
  }
}

TEST(Exif, DamageMeansUpright) {
  const std::string sound = tiff(true, 0x112, 3, 6);
  for (size_t size = 0; size < sound.size(); ++size) {
    EXPECT_EQ(exif_orientation(sound.substr(0, size)), 1) << size;
  }
  std::string far = sound;
  far.replace(4, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(exif_orientation(far), 1);
  std::string many = sound;
  many.replace(8, 2, "\xff\xff");
  EXPECT_EQ(exif_orientation(many), 6);  // the entry that is there
}

TEST(Exif, UprightIsWhatTheCameraSaw) {
  // Letters as they stand upright, and as a camera of each orientation stores them.
  const char* stored[] = {"ABCDEF", "CBAFED", "FEDCBA", "DEFABC",
                          "ADBECF", "CFBEAD", "FCEBDA", "DAEBFC"};
  for (int o = 1; o <= 8; ++o) {
    const bool lies = o >= 5;
    Pixels pixels{{0, 0, lies ? 2 : 3, lies ? 3 : 2}, {}};
    for (const char* c = stored[o - 1]; *c; ++c) {
      for (int i = 0; i < 4; ++i) pixels.bytes.push_back(static_cast<uint8_t>(*c));
    }
    turn_upright(pixels, o);
    EXPECT_EQ(pixels.region, (PixelRect{0, 0, 3, 2})) << o;
    std::string seen;
    for (int64_t i = 0; i < 6; ++i) seen.push_back(static_cast<char>(*pixels.at(i % 3, i / 3)));
    EXPECT_EQ(seen, "ABCDEF") << o;
  }
}

TEST(Exif, OnlyWhoAsksHasPicturesTurned) {
  const std::string bytes = picture_bytes("turned.jpg");
  const Pixels stored = decode_picture(bytes, "turned", false);
  Pixels upright = decode_picture(bytes, "turned", true);
  EXPECT_EQ(stored.region, (PixelRect{0, 0, 93, 61}));
  EXPECT_EQ(upright.region, (PixelRect{0, 0, 61, 93}));
  EXPECT_EQ(rgb_of(upright, {60, 0, 1, 1}), rgb_of(stored, {0, 0, 1, 1}));
}

TEST(SharedPictures, OfEveryOrientationAreTheSameUpright) {
  const auto folder = shared_data("fixtures/jpeg/pillow");
  if (!folder) GTEST_SKIP();
  const Pixels straight = decode_picture(picture_bytes("hopper.jpg"), "hopper", true);
  const std::string want = rgb_of(straight, straight.region);
  for (int o = 2; o <= 8; ++o) {
    const fs::path path = *folder / fmt::format("hopper_orientation_{}.jpg", o);
    const Pixels pixels = decode_picture(read_file(path, Fault::bug), path.string(), true);
    ASSERT_EQ(pixels.region, straight.region);
    const std::string got = rgb_of(pixels, pixels.region);
    double error = 0, turned = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      const auto byte = [](const std::string& s, size_t at) { return static_cast<uint8_t>(s[at]); };
      error += std::abs(byte(got, i) - byte(want, i));
      turned += std::abs(byte(got, i) - byte(want, want.size() - 1 - i));
    }
    const auto count = static_cast<double>(want.size());
    EXPECT_LT(error / count, 6) << o;  // other quality, coded in another direction
    EXPECT_GT(turned / count, 20) << o;
  }
}

}  // namespace
}  // namespace convoy::test
