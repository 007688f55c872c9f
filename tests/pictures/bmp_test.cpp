#include "pictures/bmp.h"

#include <gtest/gtest.h>

#include "pictures/files.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

// A file with the number at `at` changed, in little-endian bytes.
std::string changed(std::string bytes, size_t at, uint32_t value, size_t size = 4) {
  for (size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

TEST(Bmp, EveryKindGivesPillowsPixels) {
  const auto peer = fixture("pictures/pictures").at("made");
  const std::vector<std::string> names = made_pictures(".bmp");
  EXPECT_EQ(names.size(), 10u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::string bytes = picture_bytes(name);
    const PictureInfo info = inspect_bmp(bytes, name);
    EXPECT_EQ(info.width, 93);
    EXPECT_EQ(info.height, 61);
    EXPECT_EQ(crc_of(decode_picture(bytes, name, false)), peer.at(name).at("crc32"));
  }
}

TEST(Bmp, WhatIsCutOffIsRefusedAtAnyByte) {
  const std::string bytes = picture_bytes("four_bits.bmp");
  for (size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 37) {
    expect_raises(Fault::data, {"cut.bmp"},
                  [&] { decode_picture(bytes.substr(0, size), "cut.bmp", false); });
  }
}

TEST(Bmp, WhatIsNotReadIsNamed) {
  const std::string sound = picture_bytes("rgb.bmp"), few = picture_bytes("four_bits.bmp");
  struct Case {
    std::string bytes, words;
  };
  for (const Case& c :
       {Case{changed(sound, 30, 1), "run-length"}, Case{changed(sound, 30, 4), "unknown coding 4"},
        Case{changed(sound, 28, 12, 2), "12 bits"}, Case{changed(sound, 30, 3), "with masks"},
        Case{changed(sound, 18, 0), "0x61 pixels"},
        Case{changed(sound, 18, 0xffffffff), "no picture"},
        Case{changed(sound, 18, 60000), "cannot hold 60000x61"},
        Case{changed(sound, 22, 0x80000000), "more pixels than"},
        Case{changed(sound, 10, 20), "inside its header"},
        Case{changed(sound, 10, 0xfffffff0), "cut off"},
        Case{changed(few, 46, 17), "a palette of 17"}, Case{changed(few, 46, 3), "the palette 3"},
        Case{changed(picture_bytes("sixteen_565.bmp"), 54, 0xf0f0), "no mask"}}) {
    expect_raises(Fault::data, {"x.bmp", c.words},
                  [&] { decode_picture(c.bytes, "x.bmp", false); });
  }
}

}  // namespace
}  // namespace convoy::test
