#include "pictures/picture.h"

#include <gtest/gtest.h>

#include "pictures/files.h"
#include "pictures/png.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

TEST(Picture, TheContentDecidesAndNotTheName) {
  const std::string png = picture_bytes("palette.png");
  PictureDecoder decoder;
  EXPECT_EQ(decoder.open(png, "named.jpg").format, PictureFormat::png);
  Pixels pixels;
  decoder.decode({0, 0, 93, 61}, DecodeSpeed::exact, 1, pixels);
  EXPECT_EQ(crc_of(pixels), fixture("pictures/pictures").at("made").at("palette.png").at("crc32"));
  EXPECT_TRUE(looks_like_picture(png));
  EXPECT_TRUE(looks_like_picture(picture_bytes("grey.jpg")));
  EXPECT_FALSE(looks_like_picture("GIF89a"));
  for (const auto& [name, format] : {std::pair{"rgb.bmp", PictureFormat::bmp},
                                     {"lzw.tif", PictureFormat::tiff},
                                     {"lossy.webp", PictureFormat::webp}}) {
    const std::string bytes = picture_bytes(name);
    EXPECT_TRUE(looks_like_picture(bytes)) << name;
    EXPECT_EQ(PictureDecoder().open(bytes, "named.jpg").format, format) << name;
  }
}

TEST(Picture, WhatIsNoneIsRefusedByName) {
  struct Case {
    std::string bytes, words;
  };
  const std::string none(100, '\0');
  for (const Case& c :
       {Case{"", "the file is empty"}, Case{none, "neither a JPEG nor a PNG"},
        Case{"\xff", "neither"}, Case{"\xff\xd8", "neither"}, Case{"B", "neither"},
        Case{"GIF89a and more", "a GIF file"}, Case{"BM....", "neither"},
        Case{"RIFF\1\2\3\4WEBPVP8 ", "it is"}, Case{"<!DOCTYPE html>", "a web page"},
        Case{"II*" + none, "TIFF"}, Case{none + std::string(28, '\0') + "DICM..", "a DICOM file"},
        Case{std::string("\0\0\0\x1c", 4) + "ftypheic", "a HEIF or AVIF file"}}) {
    expect_raises(Fault::data, {"n01440764/1.jpg", c.words},
                  [&] { decode_picture(c.bytes, "n01440764/1.jpg", false); });
  }
}

TEST(Picture, OneDecoderServesFormatsInTurn) {
  const auto peer = fixture("pictures/pictures").at("made");
  PictureDecoder first;
  PictureDecoder decoder = std::move(first);
  Pixels pixels;
  for (int round = 0; round < 2; ++round) {
    for (const auto& [name, about] : peer.items()) {
      const std::string bytes = picture_bytes(name);
      const PictureInfo info = decoder.open(bytes, name);
      decoder.decode({0, 0, info.width, info.height}, DecodeSpeed::exact, 1, pixels);
      ASSERT_EQ(crc_of(pixels), about.at("crc32")) << name;
      ASSERT_EQ(decoder.remarks().empty(), name != "pages.tif") << name;
    }
  }
}

TEST(Png, EveryKindGivesPillowsPixels) {
  const auto peer = fixture("pictures/pictures").at("made");
  for (const std::string& name : made_pictures(".png")) {
    SCOPED_TRACE(name);
    const std::string bytes = picture_bytes(name);
    const PictureInfo info = inspect_png(bytes, name);
    EXPECT_EQ(info.width, 93);
    EXPECT_EQ(info.bits, name == "sixteen_grey.png" ? 16 : name == "bits.png" ? 1 : 8);
    EXPECT_EQ(info.progressive, name == "interlaced.png");
    EXPECT_EQ(info.orientation, name == "turned.png" ? 6 : 1);
    EXPECT_EQ(crc_of(decode_picture(bytes, name, false)), peer.at(name).at("crc32"));
  }
}

TEST(Png, SixteenBitsAreScaledAndNotCut) {
  const Pixels deep = decode_picture(picture_bytes("sixteen_grey.png"), "deep", false);
  const Pixels eight = decode_picture(picture_bytes("rgb.tif"), "eight", false);
  for (int64_t x = 0; x < 93; ++x) {
    if (*eight.at(x, 30) == 255) continue;  // which with 100 more is no number of sixteen bits
    EXPECT_EQ(*deep.at(x, 30), *eight.at(x, 30)) << x;
  }
}

TEST(Png, DamageIsRefusedOrRemarked) {
  const std::string bytes = picture_bytes("grey.png");
  for (size_t size = 0; size < bytes.size(); size += 7) {
    expect_raises(Fault::data, {"cut.png"},
                  [&] { decode_picture(bytes.substr(0, size), "cut.png", false); });
  }
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 4;
  expect_raises(Fault::data, {"flipped.png"},
                [&] { decode_picture(flipped, "flipped.png", false); });
  // A chunk that no decoder needs, with a wrong checksum.
  std::string odd = bytes;
  odd.insert(bytes.size() - 12, std::string("\0\0\0\1teXt?....", 13));
  PictureDecoder decoder;
  Pixels pixels;
  decoder.open(odd, "odd.png");
  decoder.decode({0, 0, 93, 61}, DecodeSpeed::exact, 1, pixels);
  EXPECT_FALSE(decoder.remarks().empty());
}

TEST(Picture, AFewBytesCannotAskForGigabytes) {
  // 60000x60000, and 12000x12000, in a file of some kilobytes.
  for (const int side : {60000, 12000}) {
    std::string jpeg = picture_bytes("grey.jpg"), png = picture_bytes("grey.png");
    const size_t frame = jpeg.find("\xff\xc0");
    for (const size_t at : {frame + 5, frame + 7}) {
      jpeg[at] = static_cast<char>(side >> 8);
      jpeg[at + 1] = static_cast<char>(side);
    }
    const char* words = side == 60000 ? "more pixels than" : "cannot hold 12000x12000";
    expect_raises(Fault::data, {"bomb", words}, [&] { decode_picture(jpeg, "bomb", false); });
    for (const size_t at : {18u, 22u}) {
      png[at] = static_cast<char>(side >> 8);
      png[at + 1] = static_cast<char>(side);
    }
    const auto crc =
        static_cast<uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(&png[12]), 17));
    for (size_t i = 0; i < 4; ++i) png[29 + i] = static_cast<char>(crc >> (8 * (3 - i)));
    expect_raises(Fault::data, {"bomb", words}, [&] { decode_picture(png, "bomb", false); });
  }
}

}  // namespace
}  // namespace convoy::test
