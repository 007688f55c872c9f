#include "pictures/tiff.h"

#include <gtest/gtest.h>

#include "pictures/files.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

TEST(Tiff, EveryKindGivesPillowsPixels) {
  const auto peer = fixture("pictures/pictures").at("made");
  const std::vector<std::string> names = made_pictures(".tif");
  EXPECT_EQ(names.size(), 15u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::string bytes = picture_bytes(name);
    const PictureInfo info = inspect_tiff(bytes, name);
    EXPECT_EQ(info.width, 93);
    EXPECT_EQ(info.bits, name.starts_with("sixteen") ? 16 : name == "packbits.tif" ? 1 : 8);
    EXPECT_EQ(info.orientation, name == "turned.tif" ? 6 : 1);
    EXPECT_EQ(info.cmyk, name == "cmyk.tif");
    EXPECT_EQ(crc_of(decode_picture(bytes, name, false)), peer.at(name).at("crc32"));
  }
}

TEST(Tiff, SixteenBitsOfGreyAreScaledAndNotCut) {
  // 100 more than p * 257 is nearer to p than to its neighbour: the upper byte would be p + 1 at
  // times.
  const Pixels pixels = decode_picture(picture_bytes("sixteen_grey.tif"), "grey", false);
  const Pixels eight = decode_picture(picture_bytes("rgb.tif"), "rgb", false);
  for (int64_t x = 0; x < 93; ++x) {
    if (*eight.at(x, 30) == 255) continue;  // which with 100 more is no number of sixteen bits
    EXPECT_EQ(*pixels.at(x, 30), *eight.at(x, 30)) << x;
  }
}

TEST(Tiff, OfSeveralPagesTheFirstIsUsedAndTold) {
  PictureDecoder decoder;
  Pixels pixels;
  const std::string bytes = picture_bytes("pages.tif");
  decoder.open(bytes, "pages.tif");
  decoder.decode({0, 0, 93, 61}, DecodeSpeed::exact, 1, pixels);
  ASSERT_EQ(decoder.remarks().size(), 1u);
  EXPECT_NE(decoder.remarks()[0].find("several pages"), std::string::npos);
  EXPECT_EQ(crc_of(pixels), crc_of(decode_picture(picture_bytes("lzw.tif"), "one page", false)));
}

// The value of a tag that has one short, or one long, in a little-endian file.
std::string with_tag(std::string bytes, uint16_t tag, uint32_t value) {
  const auto number = [&](size_t at, size_t size) {
    uint32_t found = 0;
    for (size_t i = size; i-- > 0;) found = found << 8 | static_cast<uint8_t>(bytes[at + i]);
    return found;
  };
  const size_t directory = number(4, 4);
  for (size_t i = 0; i < number(directory, 2); ++i) {
    const size_t entry = directory + 2 + i * 12;
    if (number(entry, 2) != tag) continue;
    for (size_t b = 0; b < 4; ++b) bytes[entry + 8 + b] = static_cast<char>(value >> (8 * b));
    return bytes;
  }
  ADD_FAILURE() << "no tag " << tag;
  return bytes;
}

TEST(Tiff, WhatIsNotReadIsNamed) {
  const std::string sound = picture_bytes("sixteen_tiles.tif");
  struct Case {
    std::string bytes, words;
  };
  for (const Case& c :
       {Case{with_tag(sound, 259, 4), "compression 4"}, Case{with_tag(sound, 259, 6), "6"},
        Case{with_tag(sound, 256, 70000), "more pixels than"},
        Case{with_tag(sound, 257, 0xffffffff), "x.tif"}, Case{with_tag(sound, 256, 0), "x.tif"},
        Case{with_tag(sound, 256, 60000), "is not there"},
        // A tile of gigabytes for a small picture.
        Case{with_tag(with_tag(sound, 322, 65520), 323, 65520), "x.tif"},
        Case{with_tag(sound, 258, 12), "8 or 16 bits"}, Case{with_tag(sound, 277, 900), "900"},
        Case{sound.substr(0, 4000), "x.tif"}, Case{"II*", "x.tif"}}) {
    expect_raises(Fault::data, {"x.tif", c.words},
                  [&] { decode_picture(c.bytes, "x.tif", false); });
  }
}

TEST(Tiff, WhatIsCutOffIsRefused) {
  for (const char* name : {"lzw.tif", "sixteen_grey.tif", "jpeg.tif"}) {
    const std::string bytes = picture_bytes(name);
    for (size_t size = 4; size < bytes.size() * 9 / 10; size += bytes.size() / 40) {
      expect_raises(Fault::data, {"cut.tif"},
                    [&] { decode_picture(bytes.substr(0, size), "cut.tif", false); });
    }
  }
}

}  // namespace
}  // namespace convoy::test
