// Effects on parts of photos against what torchvision makes of them with Pillow: every byte.
#include "data/policy/effect.h"

#include <iostream>
#include <numeric>
#include <set>

#include "data/policy/effects.h"
#include "kernels/pictures/blend_bytes.h"
#include "pictures/files.h"
#include "support/shared_data.h"

namespace convoy::test {
namespace {

using policy::Effect;
using policy::Planes;
using policy::Sampling;

struct Image {
  std::vector<uint8_t> pixels, scratch;
  int64_t channels = 3, h = 0, w = 0;

  Planes planes(bool bgr = false) { return {pixels.data(), channels, h, w, bgr}; }
  void apply(const policy::EffectStep& step, Sampling sampling = Sampling::nearest,
             bool bgr = false) {
    const auto bytes = policy::effect_scratch(static_cast<int64_t>(pixels.size()));
    scratch.assign(static_cast<size_t>(bytes), 99);
    policy::apply(step, planes(bgr), sampling, scratch.data());
  }
  uint32_t crc() const {
    return static_cast<uint32_t>(::crc32(0, pixels.data(), static_cast<uInt>(pixels.size())));
  }
};

Image part_of(const std::string& bytes, const nlohmann::json& about) {
  const Pixels photo = decode_picture(bytes, about.at("file"), false);
  const auto part = about.at("part").get<std::vector<int64_t>>();
  const bool grey = about.at("grey");
  Image image{.pixels = {}, .scratch = {}, .channels = grey ? 1 : 3, .h = part[3], .w = part[2]};
  for (int c = 0; c < image.channels; ++c) {
    for (int64_t y = part[1]; y < part[1] + part[3]; ++y) {
      for (int64_t x = part[0]; x < part[0] + part[2]; ++x) {
        const uint8_t* rgb = photo.at(x, y);
        image.pixels.push_back(grey ? kernels::brightness_of(rgb[0], rgb[1], rgb[2]) : rgb[c]);
      }
    }
  }
  return image;
}

Image ramp(int64_t channels, int64_t h, int64_t w) {
  Image image{.pixels = {}, .scratch = {}, .channels = channels, .h = h, .w = w};
  for (int64_t i = 0; i < channels * h * w; ++i) {
    image.pixels.push_back(static_cast<uint8_t>(3 + i * 41 % 250));
  }
  return image;
}

TEST(PolicyEffects, OnPhotosAreThoseOfPillow) {
  const nlohmann::json peer = fixture("policies");
  std::map<std::string, std::set<double>> amounts;
  int images = 0;
  for (size_t i = 0; i < peer.at("images").size(); ++i) {
    const auto& about = peer.at("images")[i];
    const std::string file = about.at("file");
    const bool is_ours = file.find('/') == file.npos;
    const auto shared = is_ours ? std::nullopt : shared_data(file);
    if (!is_ours && !shared) {
      std::cout << file << " is not here: left out\n";
      continue;
    }
    const Image image =
        part_of(is_ours ? picture_bytes(file) : read_file(*shared, Fault::bug), about);
    ++images;
    for (const auto& row : peer.at("effects")) {
      const std::string name = row.at("effect");
      Image changed = image;
      changed.apply({effect_by_name(name), row.at("amount")},
                    row.at("sampling") == "nearest" ? Sampling::nearest : Sampling::bilinear);
      EXPECT_EQ(changed.crc(), row.at("crc32")[i]) << file << " " << row.dump();
      amounts[name].insert(row.at("amount").get<double>());
    }
  }
  EXPECT_GE(images, 5);
  // Nothing is left out, and what has an amount was seen at three and more.
  EXPECT_EQ(amounts.size(), 16u);
  for (const auto& [name, seen] : amounts) {
    const Effect effect = effect_by_name(name);
    const bool has_none = effect == Effect::identity || effect == Effect::autocontrast ||
                          effect == Effect::equalize || effect == Effect::invert;
    EXPECT_GE(seen.size(), has_none ? 1u : 3u) << name;
  }
}

TEST(PolicyEffects, KnowColoursTheWrongWayRound) {
  const Image image = ramp(3, 9, 14);
  const auto swapped = [](Image other) {
    const auto area = other.h * other.w;
    std::swap_ranges(other.pixels.begin(), other.pixels.begin() + area,
                     other.pixels.begin() + 2 * area);
    return other;
  };
  for (int i = 0; i <= static_cast<int>(Effect::hue); ++i) {
    const policy::EffectStep step{static_cast<Effect>(i), 0.4};
    Image rgb = image, bgr = swapped(image);
    rgb.apply(step);
    bgr.apply(step, Sampling::nearest, true);
    EXPECT_EQ(swapped(bgr).pixels, rgb.pixels) << i;
  }
}

TEST(PolicyEffects, OfEvenImagesAndOfSinglePixelsAreDefined) {
  for (int i = 0; i <= static_cast<int>(Effect::hue); ++i) {
    for (const auto& [h, w] : {std::pair<int64_t, int64_t>{1, 1}, {1, 7}, {5, 1}, {2, 2}}) {
      for (const double amount : {-1.0, 0.0, 0.5, 7.0}) {
        Image image = ramp(3, h, w);
        image.apply({static_cast<Effect>(i), amount}, Sampling::bilinear);
        EXPECT_EQ(image.pixels.size(), static_cast<size_t>(3 * h * w));
      }
    }
  }
  for (const Effect effect : {Effect::autocontrast, Effect::equalize, Effect::sharpness}) {
    Image even = ramp(1, 6, 6);
    std::fill(even.pixels.begin(), even.pixels.end(), uint8_t{77});
    const std::vector<uint8_t> before = even.pixels;
    even.apply({effect, 1.9});
    EXPECT_EQ(even.pixels, before);
  }
}

TEST(PolicyEffects, TranslationBringsInBlack) {
  Image image = ramp(1, 3, 4);
  const std::vector<uint8_t> p = image.pixels;
  image.apply({Effect::translate_x, -1.9});  // cut off to one pixel
  EXPECT_EQ(image.pixels, (std::vector<uint8_t>{p[1], p[2], p[3], 0, p[5], p[6], p[7], 0, p[9],
                                                p[10], p[11], 0}));
}

}  // namespace
}  // namespace convoy::test
