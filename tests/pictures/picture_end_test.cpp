#include "pictures/picture_end.h"

#include <gtest/gtest.h>

#include "pictures/files.h"
#include "support/tiny_pictures.h"

namespace convoy::test {
namespace {

TEST(PictureEnd, AWholePictureEndsWithItsFile) {
  for (const char* name : {"flower.jpg", "turned.jpg", "grey.jpg", "cmyk.jpg", "palette.png"}) {
    const std::string bytes = picture_bytes(name);
    EXPECT_EQ(picture_end(bytes), bytes.size()) << name;
    EXPECT_EQ(picture_end(bytes + "more"), bytes.size()) << name;
  }
}

TEST(PictureEnd, APictureThatIsCutAnywhereHasNone) {
  for (const std::string& bytes : {tiny_jpeg(3), tiny_png(4)}) {
    for (size_t length = 8; length < bytes.size(); ++length) {
      EXPECT_EQ(picture_end(bytes.substr(0, length)), std::nullopt) << length;
    }
  }
}

// Cameras put a small JPEG, with an end of its own, into a segment before the pixels.
TEST(PictureEnd, ThatOfAPreviewDoesNotCount) {
  std::string bytes = tiny_jpeg(5);
  const std::string preview = "Exif" + tiny_jpeg(6);
  const size_t size = preview.size() + 2;
  std::string segment("\xff\xe1", 2);
  segment += static_cast<char>(size >> 8);
  segment += static_cast<char>(size & 0xff);
  bytes.insert(2, segment + preview);
  EXPECT_EQ(picture_end(bytes), bytes.size());
  EXPECT_EQ(picture_end(bytes.substr(0, bytes.size() - 2)), std::nullopt);
}

}  // namespace
}  // namespace convoy::test
