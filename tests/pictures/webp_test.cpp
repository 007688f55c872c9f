#include "pictures/webp.h"

#include <gtest/gtest.h>

#include "pictures/files.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

TEST(Webp, EveryKindGivesPillowsPixels) {
  const auto peer = fixture("pictures/pictures").at("made");
  const std::vector<std::string> names = made_pictures(".webp");
  EXPECT_EQ(names.size(), 4u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::string bytes = picture_bytes(name);
    const PictureInfo info = inspect_webp(bytes, name);
    EXPECT_EQ(info.width, 93);
    EXPECT_EQ(info.orientation, name == "turned.webp" ? 6 : 1);
    EXPECT_EQ(info.components, name == "alpha.webp" ? 4 : 3);
    EXPECT_EQ(crc_of(decode_picture(bytes, name, false)), peer.at(name).at("crc32"));
  }
}

TEST(Webp, DamageIsRefused) {
  for (const char* name : {"lossy.webp", "lossless.webp"}) {
    const std::string bytes = picture_bytes(name);
    for (size_t size = 12; size < bytes.size(); size += bytes.size() / 60) {
      expect_raises(Fault::data, {"cut.webp", "try:"},
                    [&] { decode_picture(bytes.substr(0, size), "cut.webp", false); });
    }
  }
}

TEST(Webp, AnAnimationIsRefusedByName) {
  std::string bytes = picture_bytes("turned.webp");  // with the header that has flags
  ASSERT_EQ(bytes.substr(12, 4), "VP8X");
  bytes[20] = static_cast<char>(bytes[20] | 2);
  expect_raises(Fault::data, {"moves.webp", "animation"},
                [&] { decode_picture(bytes, "moves.webp", false); });
}

TEST(Webp, AFewBytesCannotAskForGigabytes) {
  std::string bytes = picture_bytes("lossy.webp");
  const size_t frame = bytes.find("\x9d\x01\x2a");
  ASSERT_NE(frame, bytes.npos);
  for (const size_t at : {frame + 3, frame + 5}) {
    bytes[at] = '\xff';
    bytes[at + 1] = '\x3f';
  }
  expect_raises(Fault::data, {"bomb", "pixels"}, [&] { decode_picture(bytes, "bomb", false); });
}

}  // namespace
}  // namespace convoy::test
