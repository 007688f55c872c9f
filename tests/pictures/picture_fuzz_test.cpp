// The readers of pictures against damaged files: an error of one line and Fault::data, or pixels
// whose every byte can be read; and never memory that the file does not account for. The checksums
// of PNG and of packed indices would stop nearly all of it at the door, so half of the files get
// sound ones again.

#include <gtest/gtest.h>

#include "pictures/exif.h"
#include "pictures/files.h"
#include "pictures/jpeg_pack.h"
#include "support/fuzz.h"
#include "support/mend.h"
#include "support/mutate.h"

namespace convoy::test {
namespace {

// Decodes a part of it, and all of it upright.
void decode_all(PictureDecoder& decoder, const std::string& bytes, Random& random) {
  const PictureInfo info = decoder.open(bytes, "fuzz");
  const PixelRect region = random_region(info.width, info.height, random);
  Pixels pixels;
  const bool fast = info.format == PictureFormat::jpeg && random.below(4) == 0;
  decoder.decode(region, fast ? DecodeSpeed::fast : DecodeSpeed::exact, 1, pixels);
  unsigned sum = 0;  // touch every byte: the sanitizer checks them
  for (const char c : rgb_of(pixels, region)) sum += static_cast<uint8_t>(c);
  pixels = decode_picture(bytes, "fuzz", true);
  for (const char c : rgb_of(pixels, pixels.region)) sum += static_cast<uint8_t>(c);
  ASSERT_LE(sum, UINT32_MAX);
}

std::vector<std::string> seeds_of(const std::string& ending) {
  std::vector<std::string> seeds;
  for (const std::string& name : made_pictures(ending)) {
    if (name != "flower.jpg") seeds.push_back(picture_bytes(name));
  }
  return seeds;
}

const std::string& one_of(const std::vector<std::string>& seeds, Random& random) {
  return seeds[random.below(static_cast<uint32_t>(seeds.size()))];
}

// Half of the time only in the first bytes, where headers and the index are.
std::string mutated_in_front(const std::vector<std::string>& seeds, size_t front, Random& random) {
  const std::string& seed = one_of(seeds, random);
  if (random.below(2) || seed.size() <= front) return mutated(seed, seeds, random);
  return mutated(seed.substr(0, front), seeds, random) + seed.substr(front);
}

// Four bytes a pixel, some of which are there twice; of JPEG, those of arithmetic coding.
constexpr int64_t jpeg_bytes = 8192 * 8, png_bytes = 8 * 1032 * 8;
constexpr int64_t bmp_bytes = 8 * 4, tiff_bytes = 8 * 1365 * 4;

TEST(PictureFuzz, Jpeg) {
  const std::vector<std::string> seeds = seeds_of(".jpg");
  PictureDecoder decoder;
  fuzz(
      {.seconds = 10, .seed = 1, .most_per_byte = jpeg_bytes},
      [&](Random& random) { return mutated(one_of(seeds, random), seeds, random); },
      [&](const std::string& bytes, Random& random) { decode_all(decoder, bytes, random); });
}

TEST(PictureFuzz, Packing) {
  const std::vector<std::string> seeds = seeds_of(".jpg");
  fuzz(
      {.seconds = 7, .seed = 2, .most_per_byte = jpeg_bytes},
      [&](Random& random) { return mutated(one_of(seeds, random), seeds, random); },
      [](const std::string& bytes, Random& random) {
        // What can be packed has the pixels that it had, or none.
        const std::string packed = pack_jpeg(bytes, "fuzz");
        ASSERT_TRUE(is_packed(packed));
        PictureDecoder decoder;
        decode_all(decoder, packed, random);
        ASSERT_EQ(crc_of(decode_picture(packed, "fuzz", false)),
                  crc_of(decode_picture(bytes, "fuzz", false)));
      });
}

TEST(PictureFuzz, Packed) {
  std::vector<std::string> seeds;
  for (const std::string& bytes : seeds_of(".jpg")) seeds.push_back(pack_jpeg(bytes, "seed"));
  PictureDecoder decoder;
  fuzz(
      {.seconds = 8, .seed = 3, .most_per_byte = jpeg_bytes},
      [&](Random& random) {
        std::string bytes = mutated_in_front(seeds, 700, random);
        if (random.below(2)) mend_index(bytes);
        return bytes;
      },
      [&](const std::string& bytes, Random& random) { decode_all(decoder, bytes, random); });
}

TEST(PictureFuzz, Png) {
  const std::vector<std::string> seeds = seeds_of(".png");
  PictureDecoder decoder;
  fuzz(
      {.seconds = 8, .seed = 4, .most_per_byte = png_bytes},
      [&](Random& random) {
        std::string bytes = mutated_in_front(seeds, 60, random);
        if (random.below(2)) mend_png(bytes);
        return bytes;
      },
      [&](const std::string& bytes, Random& random) { decode_all(decoder, bytes, random); });
}

TEST(PictureFuzz, Bmp) {
  const std::vector<std::string> seeds = seeds_of(".bmp");
  PictureDecoder decoder;
  fuzz(
      {.seconds = 2, .seed = 6, .most_per_byte = bmp_bytes},
      [&](Random& random) { return mutated_in_front(seeds, 70, random); },
      [&](const std::string& bytes, Random& random) { decode_all(decoder, bytes, random); });
}

// Its directory, where all numbers are, is mostly at the end.
TEST(PictureFuzz, Tiff) {
  const std::vector<std::string> seeds = seeds_of(".tif");
  PictureDecoder decoder;
  fuzz(
      {.seconds = 3, .seed = 7, .most_per_byte = tiff_bytes},
      [&](Random& random) {
        const std::string& seed = one_of(seeds, random);
        if (random.below(2)) return mutated(seed, seeds, random);
        const size_t front = seed.size() - std::min<size_t>(seed.size(), 300);
        return seed.substr(0, front) + mutated(seed.substr(front), seeds, random);
      },
      [&](const std::string& bytes, Random& random) { decode_all(decoder, bytes, random); });
}

TEST(PictureFuzz, Webp) {
  const std::vector<std::string> seeds = seeds_of(".webp");
  PictureDecoder decoder;
  // A picture of one colour has no bits: 16 million pixels of it are no lie.
  constexpr int64_t most = (int64_t{8192} * 2048 + 4096) * 4;
  fuzz(
      {.seconds = 2, .seed = 8, .most_per_byte = most},
      [&](Random& random) { return mutated_in_front(seeds, 60, random); },
      [&](const std::string& bytes, Random& random) { decode_all(decoder, bytes, random); });
}

TEST(PictureFuzz, Exif) {
  const std::vector<std::string> seeds{
      std::string("MM\0*\0\0\0\x8\0\2\1\1\0\3\0\0\0\1\0\1\0\0\1\x12\0\3\0\0\0\1\0\6\0\0", 34)};
  fuzz(
      {.seconds = 2, .seed = 5, .most_per_byte = 1},
      [&](Random& random) { return mutated(seeds[0], seeds, random); },
      [](const std::string& bytes, Random&) {
        const int orientation = exif_orientation(bytes);
        ASSERT_TRUE(orientation >= 1 && orientation <= 8);
      });
}

}  // namespace
}  // namespace convoy::test
