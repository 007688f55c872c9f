#include "pictures/jpeg_pack.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "pictures/files.h"
#include "pictures/packed_index.h"
#include "support/raises.h"
#include "support/shared_data.h"
#include "tensor/shape.h"

namespace convoy::test {
namespace {

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

// An error while libjpeg writes, after its buffer has grown: the old one was freed again.
TEST(JpegPack, AnErrorInTheMiddleOfWritingFreesNothingTwice) {
  int out_of_range = 0;
  for (const std::string& name : made_pictures(".jpg")) {
    if (name == "flower.jpg") continue;
    std::string bytes = picture_bytes(name);
    const std::string comment(40'000, 'c');
    bytes.insert(2, "\xff\xfe" +
                        std::string{static_cast<char>((comment.size() + 2) >> 8),
                                    static_cast<char>(comment.size() + 2)} +
                        comment);
    // Symbols of the Huffman tables get the greatest size: coefficients that cannot be written.
    const size_t table = bytes.find("\xff\xc4", comment.size());
    for (size_t i = table + 21; i < table + 60 && i < bytes.size(); ++i) {
      std::string wrong = bytes;
      wrong[i] = static_cast<char>(wrong[i] | 0x0f);
      try {
        pack_jpeg(wrong, "x.jpg");
      } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::data);
        out_of_range += std::string_view(error.what()).find("out of range") != std::string::npos;
      }
    }
  }
  EXPECT_GT(out_of_range, 0);
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

TEST(JpegPack, FastAndSmallPartsAreThoseOfTheFileBefore) {
  for (const char* name : {"flower.jpg", "hopper.jpg", "sampled_2x1.jpg", "grey.jpg"}) {
    const std::string bytes = picture_bytes(name), packed = pack_jpeg(bytes, name);
    PictureDecoder decoder;
    for (const int shrink : {1, 2, 4, 8}) {
      SCOPED_TRACE(fmt::format("1/{}", shrink));
      const PictureInfo info = decoder.open(bytes, name);
      Pixels whole;
      decoder.decode({0, 0, divide_up(info.width, shrink), divide_up(info.height, shrink)},
                     DecodeSpeed::fast, shrink, whole);
      expect_equal_parts(bytes, whole, 20, name, DecodeSpeed::fast, shrink);
      expect_equal_parts(packed, whole, 20, name, DecodeSpeed::fast, shrink);
    }
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

TEST(JpegPack, OnlyTheStretchesOfAPartAreDecoded) {
  const std::string packed = pack_jpeg(picture_bytes("flower.jpg"), "flower");
  const Pixels whole = decode_picture(packed, "flower", false);
  const PixelRect region{200, 100, 50, 40};
  const auto index = read_packed_index(packed);
  ASSERT_TRUE(index);
  const StretchGrid& grid = index->grid;
  // Every other stretch is wiped out: the part is the same, the whole is not.
  std::string holes = packed;
  size_t at = index->pixels;
  int wiped = 0;
  for (int64_t i = 0; i < grid.count(); ++i) {
    const int64_t x = i % grid.per_row * grid.stretch_width(),
                  y = i / grid.per_row * grid.block_height;
    const bool needed =
        x < 260 && x + grid.stretch_width() > 190 && y + 3 * grid.block_height > 90 && y < 160;
    if (!needed) {
      std::fill_n(holes.begin() + static_cast<ptrdiff_t>(at), index->length(i), '\0');
      ++wiped;
    }
    at += index->length(i) + 2;
  }
  EXPECT_GT(wiped, grid.count() * 3 / 4);
  PictureDecoder decoder;
  Pixels part;
  decoder.open(holes, "holes");
  decoder.decode(region, DecodeSpeed::exact, 1, part);
  EXPECT_EQ(rgb_of(part, region), rgb_of(whole, region));
}

// Without its index a packed file is one with restart markers.
TEST(JpegPack, RestartMarkersAreFollowed) {
  for (const std::string name : {"flower.jpg", "hopper.jpg", "grey.jpg"}) {
    std::string plain = pack_jpeg(picture_bytes(name), name);
    const Pixels whole = decode_picture(plain, name, false);
    const size_t size = static_cast<uint8_t>(plain[4]) * 256u + static_cast<uint8_t>(plain[5]);
    plain.erase(2, size + 2);
    ASSERT_FALSE(is_packed(plain));
    expect_equal_parts(plain, whole, 20, name);
    PictureDecoder decoder;
    Pixels part;
    // One that is missing is libjpeg's affair, which tells.
    const size_t marker = plain.rfind("\xff\xd1");
    ASSERT_NE(marker, plain.npos);
    std::string wrong = plain;
    wrong[marker + 1] = '\xd5';
    decoder.open(wrong, name);
    decoder.decode(whole.region, DecodeSpeed::exact, 1, part);
    EXPECT_FALSE(decoder.remarks().empty());
  }
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
  ASSERT_TRUE(read_packed_index(mixed));
  std::string without = mixed;
  without.erase(2, size + 2);
  for (const PixelRect& end : {PixelRect{100, 120, 28, 8}, PixelRect{0, 0, 128, 128}}) {
    std::vector<std::string> seen;
    for (const std::string& bytes : {mixed, without}) {
      PictureDecoder decoder;
      Pixels part;
      decoder.open(bytes, name);
      try {
        decoder.decode(end, DecodeSpeed::exact, 1, part);
        seen.push_back(rgb_of(part, end));
      } catch (const Error& error) {
        seen.emplace_back(error.what());
      }
    }
    EXPECT_EQ(seen[0], seen[1]);
  }
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
