#include "data/manifest.h"

#include <gtest/gtest.h>

#include "data/sources/folder_source.h"
#include "data/sources/memory_dataset.h"
#include "data/sources/picture_dataset.h"
#include "support/temp_folder.h"
#include "support/tiny_pictures.h"

namespace convoy {
namespace {

MemoryDataset small_set(uint8_t last_pixel, uint8_t last_label) {
  return MemoryDataset({1, 1, 2}, {"a", "b"}, {1, 2, 3, 4, 5, last_pixel}, {0, 1, last_label});
}

TEST(Manifest, EqualSetsHaveEqualPiecesAndOthersAreNamed) {
  const MemoryDataset set = small_set(6, 0), same = small_set(6, 0);
  ASSERT_EQ(Manifest(set).pieces(), 1u);
  EXPECT_EQ(Manifest(set).hash(0), Manifest(same).hash(0));
  for (const MemoryDataset& other : {small_set(7, 0), small_set(6, 1)}) {
    EXPECT_NE(Manifest(set).hash(0), Manifest(other).hash(0));
    EXPECT_EQ(Manifest::difference(Manifest(set).text(0), Manifest(other).text(0), "rank 0"),
              "image 2 has other contents than rank 0's");
  }
  EXPECT_EQ(Manifest::difference(Manifest(set).text(0), Manifest(same).text(0), "rank 0"), "");
}

struct Folder {
  test::TempFolder place;
  Folder() {
    for (int n = 0; n < 6; ++n) {
      const fs::path folder = place / (n % 2 ? "cat" : "dog");
      fs::create_directories(folder);
      write_atomically(folder / fmt::format("{}.jpg", n), test::tiny_jpeg(n), Fault::bug);
    }
  }
  std::string text() const {
    PictureSpec spec;
    spec.cache = false;
    return Manifest(PictureDataset(open_folder(place.path()), spec)).text(0);
  }
  std::string difference_from(const Folder& first) const {
    return Manifest::difference(first.text(), text(), "rank 0");
  }
};

TEST(Manifest, OfFoldersNamesAndSizesCountWhereverTheyAre) {
  const Folder one, two;
  EXPECT_EQ(one.text(), two.text());
  const fs::path picture = two.place / "cat/3.jpg";
  const std::string before = read_file(picture, Fault::bug);
  write_atomically(picture, before + "x", Fault::bug);
  EXPECT_EQ(two.difference_from(one), fmt::format("cat/3.jpg has {} bytes, rank 0's has {}",
                                                  before.size() + 1, before.size()));
  std::string swapped = before;
  swapped[before.size() / 2] ^= 1;
  write_atomically(picture, swapped, Fault::bug);
  EXPECT_EQ(two.difference_from(one), "cat/3.jpg has other contents than rank 0's");
  fs::rename(picture, two.place / "cat/4.jpg");
  EXPECT_EQ(two.difference_from(one), "cat/4.jpg is where rank 0 has cat/3.jpg");
  fs::remove(two.place / "cat/4.jpg");
  write_atomically(picture, before, Fault::bug);
  fs::remove(two.place / "dog/4.jpg");
  EXPECT_EQ(two.difference_from(one), "dog/4.jpg is missing");
}

}  // namespace
}  // namespace convoy
