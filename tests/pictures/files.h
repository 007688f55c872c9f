// The pictures of tests/fixtures/pictures and of the shared data, and what Pillow made of them.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "pictures/picture.h"
#include "support/fixture.h"

namespace convoy::test {

inline std::string picture_bytes(const std::string& name) {
  return read_file(fixture_path("pictures/" + name), Fault::bug);
}

// The names of the made files that end so.
inline std::vector<std::string> made_pictures(const std::string& ending) {
  std::vector<std::string> names;
  const nlohmann::json peer = fixture("pictures/pictures");
  for (const auto& [name, about] : peer.at("made").items()) {
    if (name.ends_with(ending)) names.push_back(name);
  }
  return names;
}

// Red, green, blue, row by row.
inline std::string rgb_of(const Pixels& pixels, const PixelRect& region) {
  std::string bytes;
  for (int64_t y = region.y; y < region.y + region.height; ++y) {
    for (int64_t x = region.x; x < region.x + region.width; ++x) {
      bytes.append(reinterpret_cast<const char*>(pixels.at(x, y)), 3);
    }
  }
  return bytes;
}

inline uint32_t crc_of(const Pixels& pixels) {
  const std::string bytes = rgb_of(pixels, pixels.region);
  return static_cast<uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

// A rectangle inside a picture of that size; often one that touches an edge.
inline PixelRect random_region(int64_t width, int64_t height, Random& random) {
  const auto side = [&](int64_t size, int64_t& from, int64_t& length) {
    length = 1 + random.below(static_cast<uint32_t>(size));
    from = random.below(static_cast<uint32_t>(size - length + 1));
    if (random.below(4) == 0) from = 0;
    if (random.below(4) == 0) from = size - length;
  };
  PixelRect region;
  side(width, region.x, region.width);
  side(height, region.y, region.height);
  return region;
}

// Random parts of a file are those of the whole, decoded in the same way.
inline void expect_equal_parts(const std::string& bytes, const Pixels& whole, int rounds,
                               const std::string& name, DecodeSpeed speed = DecodeSpeed::exact,
                               int shrink = 1) {
  PictureDecoder decoder;
  Random random(random_key(2, Purpose::generated));
  for (int i = 0; i < rounds; ++i) {
    const PixelRect region = random_region(whole.region.width, whole.region.height, random);
    Pixels part;
    decoder.open(bytes, name);
    decoder.decode(region, speed, shrink, part);
    ASSERT_EQ(rgb_of(part, region), rgb_of(whole, region))
        << name << " " << region.x << "," << region.y << " " << region.width << "x"
        << region.height;
  }
}

}  // namespace convoy::test
