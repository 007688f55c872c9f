#include "pictures/jpeg_pack.h"

#include <gtest/gtest.h>

#include "pictures/files.h"
#include "pictures/packed_index.h"
#include "support/raises.h"
#include "support/shared_data.h"

namespace convoy::test {
namespace {

void expect_equal_parts(const std::string& packed, const Pixels& whole, int rounds,
                        const std::string& name) {
  PictureDecoder decoder;
  Random random(random_key(2, Purpose::generated));
  for (int i = 0; i < rounds; ++i) {
    const PixelRect region = random_region(whole.region.width, whole.region.height, random);
    Pixels part;
    decoder.open(packed, name);
    decoder.decode(region, DecodeSpeed::exact, 1, part);
    ASSERT_EQ(rgb_of(part, region), rgb_of(whole, region))
        << name << " " << region.x << "," << region.y << " " << region.width << "x"
        << region.height;
  }
}

TEST(JpegPack, ChangesNoPixelInAnyCoding) {
  for (const std::string& name : made_pictures(".jpg")) {
    SCOPED_TRACE(name);
    const std::string bytes = picture_bytes(name), packed = pack_jpeg(bytes, name);
    EXPECT_FALSE(is_packed(bytes));
    EXPECT_TRUE(is_packed(packed));
    EXPECT_EQ(pack_jpeg(packed, name), packed);
    const Pixels whole = decode_picture(bytes, name, false);
    EXPECT_EQ(crc_of(decode_picture(packed, name, false)), crc_of(whole));
    expect_equal_parts(packed, whole, 150, name);
  }
}

TEST(JpegPack, ChangesNoPixelOfRealFiles) {
  const auto folder = shared_data("fixtures/jpeg");
  if (!folder) GTEST_SKIP();
  int count = 0;
  const nlohmann::json peer = fixture("pictures/pictures");
  for (const auto& [name, about] : peer.at("shared").items()) {
    if (!name.ends_with(".jpg") || about.is_null()) continue;
    SCOPED_TRACE(name);
    const std::string bytes = read_file(*folder / name, Fault::bug);
    Pixels whole;
    std::string packed;
    try {
      whole = decode_picture(bytes, name, false);
      packed = pack_jpeg(bytes, name);
    } catch (const Error& error) {  // two are damaged inside
      EXPECT_EQ(error.fault(), Fault::data) << error.what();
      continue;
    }
    EXPECT_EQ(crc_of(decode_picture(packed, name, false)), about.at("crc32"));
    expect_equal_parts(packed, whole, 10, name);
    ++count;
  }
  EXPECT_EQ(count, 32);
}

TEST(JpegPack, ChangesNoPixelOfPhotos) {
  const auto folder = shared_data("imagenet/val140");
  if (!folder) GTEST_SKIP();
  const nlohmann::json peer = fixture("pictures/pictures");
  for (size_t i = 2; i < peer.at("photos").size(); i += 4) {
    const std::string name = peer.at("photos")[i];
    const std::string bytes = read_file(*folder / "../.." / name, Fault::bug);
    const Pixels whole = decode_picture(bytes, name, false);
    const std::string packed = pack_jpeg(bytes, name);
    EXPECT_LT(packed.size(), bytes.size() * 5 / 4) << name;
    expect_equal_parts(packed, whole, 10, name);
    expect_equal_parts(bytes, whole, 10, name);  // not packed, for that matter
  }
}

TEST(JpegPack, KeepsWhatTheFileSaysAboutItself) {
  const std::string bytes = picture_bytes("turned.jpg"), packed = pack_jpeg(bytes, "turned");
  EXPECT_EQ(PictureDecoder().open(packed, "packed").orientation, 6);
  for (const uint8_t marker : {0xe1, 0xe2}) {  // EXIF, colour profile
    std::vector<std::string> had, has;
    const auto collect = [&](std::vector<std::string>& to) {
      return [&to, marker](const JpegSegment& s) {
        if (s.marker == marker) to.emplace_back(s.whole);
      };
    };
    ASSERT_GT(each_segment(bytes, collect(had)), 0u);
    ASSERT_GT(each_segment(packed, collect(has)), 0u);
    EXPECT_EQ(had.size(), 1u);
    EXPECT_EQ(has, had);
  }
}

TEST(JpegPack, ACutIsSmallAndLiesOnStretches) {
  const std::string packed = pack_jpeg(picture_bytes("flower.jpg"), "flower");
  std::string cut;
  const PixelRect region{200, 100, 50, 40};
  const auto part = cut_packed(packed, region, cut);
  ASSERT_TRUE(part);
  EXPECT_LE(part->x, region.x);
  EXPECT_LE(part->y, region.y);
  EXPECT_GE(part->x + part->width, region.x + region.width);
  EXPECT_GE(part->y + part->height, region.y + region.height);
  EXPECT_LT(cut.size(), packed.size() / 6);
  const Pixels pixels = decode_picture(cut, "cut", false);
  EXPECT_EQ(pixels.region.width, part->width);
  EXPECT_EQ(pixels.region.height, part->height);
  EXPECT_FALSE(cut_packed(packed, {0, 0, 480, 360}, cut));
  EXPECT_FALSE(cut_packed(packed, {470, 0, 11, 10}, cut)) << "beyond the picture";
  EXPECT_FALSE(cut_packed(picture_bytes("flower.jpg"), region, cut));
}

TEST(JpegPack, ADamagedIndexIsNotUsed) {
  const std::string name = "hopper.jpg";
  const std::string packed = pack_jpeg(picture_bytes(name), name);
  const Pixels whole = decode_picture(packed, name, false);
  const size_t size = static_cast<uint8_t>(packed[4]) * 256u + static_cast<uint8_t>(packed[5]);
  const PixelRect region{40, 40, 30, 30};
  for (size_t at = 6; at < size + 4; ++at) {
    for (const int flip : {1, 128}) {
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      ASSERT_FALSE(is_packed(damaged)) << at;
      PictureDecoder decoder;
      Pixels part;
      decoder.open(damaged, name);
      decoder.decode(region, DecodeSpeed::exact, 1, part);
      ASSERT_EQ(rgb_of(part, region), rgb_of(whole, region)) << at;
    }
  }
  // The pixels of another file behind it, as a program leaves it that keeps unknown markers.
  std::string mixed = packed;
  mixed.insert(mixed.size() - 40, "\x12\x34");
  const auto index = read_packed_index(mixed);
  ASSERT_TRUE(index);
  std::string cut;
  EXPECT_FALSE(cut_packed(mixed, {100, 120, 28, 8}, cut));
}

TEST(JpegPack, WhatCannotBePackedIsRefused) {
  expect_raises(Fault::data, {"x.png", "Not a JPEG file"},
                [] { pack_jpeg(picture_bytes("grey.png"), "x.png"); });
  expect_raises(Fault::data, {"x.jpg", "try:"}, [] { pack_jpeg("", "x.jpg"); });
  const std::string bytes = picture_bytes("progressive.jpg");
  expect_raises(Fault::data, {"x.jpg", "Premature end", "a whole copy"},
                [&] { pack_jpeg(bytes.substr(0, bytes.size() - 60), "x.jpg"); });
}

TEST(JpegPack, StretchesDivideARowAndTheIndexFitsAMarker) {
  for (int64_t blocks = 1; blocks <= 8192; blocks += blocks < 100 ? 1 : 97) {
    for (const int64_t rows : {1, 20, 300, 8192}) {
      const int64_t interval = packed_interval(blocks, rows);
      ASSERT_EQ(blocks % interval, 0);
      ASSERT_LE(blocks / interval * rows * 3 + 26, 65533) << blocks << "x" << rows;
    }
  }
}

}  // namespace
}  // namespace convoy::test
