#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "data/augment/augment_chain.h"
#include "support/raises.h"

namespace convoy {
namespace {

constexpr Shape shape{3, 7, 10};
constexpr int padding = 3;
const AugmentOptions settings{.own = {{"crop-padding", std::to_string(padding)},
                                      {"ra-magnitude", "20"},
                                      {"color-jitter", "0.4,0.4,0.4,0.2"},
                                      {"random-erase", "0.5"}},
                              .mean = {0.5, 0.4, 0.3},
                              .std = {0.2, 0.25, 0.3}};

std::vector<uint8_t> picture(const Shape& image = shape) {
  std::vector<uint8_t> pixels;
  for (int64_t i = 0; i < image.count(); ++i)
    pixels.push_back(static_cast<uint8_t>(1 + i * 37 % 255));
  return pixels;
}

std::vector<float> run(const AugmentChain& chain, uint64_t key, bool plainly = false) {
  const std::vector<uint8_t> pixels = picture(chain.image());
  std::vector<float> out(pixels.size());
  std::vector<std::byte> scratch(chain.scratch_bytes());
  plainly ? chain.run_plainly(pixels.data(), out.data(), key, scratch.data())
          : chain.run(pixels.data(), out.data(), key, scratch.data());
  return out;
}

// Pads and cuts, then mirrors, written as the words say; which of all possible pictures it was is
// found by trying them.
std::vector<float> crop(int dy, int dx, bool mirrored) {
  const std::vector<uint8_t> pixels = picture();
  const int64_t h = shape[1], w = shape[2], p = padding;
  std::vector<float> out;
  for (int64_t c = 0; c < shape[0]; ++c) {
    std::vector<float> padded(static_cast<size_t>((h + 2 * p) * (w + 2 * p)));
    for (int64_t y = 0; y < h; ++y) {
      for (int64_t x = 0; x < w; ++x) {
        padded[static_cast<size_t>((y + p) * (w + 2 * p) + x + p)] =
            pixels[static_cast<size_t>((c * h + y) * w + x)];
      }
    }
    for (int64_t y = 0; y < h; ++y) {
      for (int64_t x = 0; x < w; ++x) {
        const int64_t column = mirrored ? w - 1 - x : x;
        out.push_back(padded[static_cast<size_t>((y + dy) * (w + 2 * p) + column + dx)]);
      }
    }
  }
  return out;
}

TEST(Augment, PadCropAndFlipGiveEveryWindowEquallyOften) {
  std::map<std::vector<float>, int> windows;
  for (int dy = 0; dy <= 6; ++dy) {
    for (int dx = 0; dx <= 6; ++dx) {
      for (const bool mirrored : {false, true}) windows[crop(dy, dx, mirrored)] = 0;
    }
  }
  ASSERT_EQ(windows.size(), 98u);
  const AugmentChain chain({"pad-crop", "flip"}, settings, shape);
  for (uint64_t key = 0; key < 9800; ++key) {
    const auto found = windows.find(run(chain, mix(key)));
    ASSERT_NE(found, windows.end()) << "no window of the padded picture, key " << key;
    ++found->second;
  }
  double chi = 0;
  for (const auto& [window, count] : windows) chi += (count - 100.0) * (count - 100.0) / 100.0;
  EXPECT_LT(chi, 97 + 5 * std::sqrt(2 * 97.0));
}

TEST(Augment, NormaliseFollowsTheFormula) {
  const AugmentChain chain({"mean-std"}, settings, shape);
  const std::vector<uint8_t> pixels = picture();
  const std::vector<float> out = run(chain, 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t c = i / 70;
    EXPECT_FLOAT_EQ(out[i],
                    static_cast<float>((pixels[i] / 255.0 - settings.mean[c]) / settings.std[c]));
  }
}

TEST(Augment, PaddingIsBlackBeforeItIsNormalised) {
  const AugmentChain chain({"pad-crop", "mean-std"}, settings, shape);
  std::set<float> lowest;
  for (uint64_t key = 0; key < 50; ++key) {
    const std::vector<float> out = run(chain, mix(key));
    lowest.insert(*std::min_element(out.begin(), out.begin() + 70));
  }
  EXPECT_TRUE(lowest.contains(static_cast<float>(-0.5 / 0.2)));  // no pixel of the picture is 0
}

TEST(Augment, StandardiseFollowsTheFormula) {
  const AugmentChain chain({"standardise"}, settings, shape);
  const std::vector<uint8_t> pixels = picture();
  const auto n = static_cast<double>(pixels.size());
  double mean = 0, variance = 0;
  for (const int p : pixels) mean += p / n;
  for (const int p : pixels) variance += (p - mean) * (p - mean) / n;
  const std::vector<float> out = run(chain, 1);
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_NEAR(out[i], (pixels[i] - mean) / std::sqrt(variance), 1e-5);
  }
}

TEST(Augment, StandardiseOfAnEvenPictureIsZeroNotInfinite) {
  const AugmentChain chain({"standardise"}, settings, {3, 32, 32});
  std::vector<uint8_t> pixels(3072, 77);
  std::vector<float> out(3072);
  chain.run(pixels.data(), out.data(), 0, nullptr);
  for (const float value : out) EXPECT_NEAR(value, 0, 1e-3);
  // One grey level in one pixel: the deviation stays below 1 / sqrt(n), which takes its place.
  pixels[0] = 78;
  chain.run(pixels.data(), out.data(), 0, nullptr);
  EXPECT_NEAR(out[0], (1 - 1 / 3072.0) * std::sqrt(3072.0), 1e-2);
}

bool has_policy(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.find("aug") != name.npos || name == "color-jitter";
  });
}

TEST(Augment, OnePassEqualsOneStepAfterTheOther) {
  const std::vector<std::vector<std::string>> chains{
      {},
      {"flip"},
      {"pad-crop"},
      {"pad-crop", "flip", "mean-std"},
      {"flip", "pad-crop", "mean-std"},
      {"flip", "pad-crop", "flip", "mean-std"},
      {"pad-crop", "flip", "standardise"},
      {"pad-crop", "pad-crop", "flip", "mean-std"},  // only the first can be fused
      {"mean-std", "flip", "pad-crop"},              // the padding is the mean here
      {"mean-std", "mean-std"},
      {"rand-augment"},
      {"flip", "trivial-augment-wide", "mean-std", "random-erase"},
      {"pad-crop", "flip", "auto-augment-imagenet", "standardise"},
      {"color-jitter", "auto-augment-svhn", "flip", "pad-crop", "mean-std"},   // moves come after
      {"rand-augment", "flip", "augmix", "pad-crop", "color-jitter", "flip"},  // three stages
      {"pad-crop", "pad-crop", "auto-augment-cifar10", "mean-std"},  // to floats, and back
  };
  for (const auto& names : chains) {
    for (const Shape& image : {shape, Shape{1, 28, 28}, Shape{2, 4, 33}}) {
      if (image[0] == 2 && has_policy(names)) continue;
      AugmentOptions options = settings;
      if (image[0] != 3) options.mean = options.std = {0.4};
      const AugmentChain chain(names, options, image);
      for (uint64_t key = 0; key < 200; ++key) {
        ASSERT_EQ(run(chain, mix(key)), run(chain, mix(key), true))
            << to_string(image) << " key " << key;
      }
    }
  }
}

TEST(Augment, BytesThroughTheTablesAreTheFloats) {
  const std::vector<std::vector<std::string>> chains{
      {},
      {"mean-std"},
      {"flip"},
      {"pad-crop", "flip", "mean-std"},
      {"flip", "pad-crop"},
      {"pad-crop", "flip", "rand-augment", "mean-std"},
      {"augmix", "flip", "color-jitter", "pad-crop", "auto-augment-cifar10", "flip", "mean-std"}};
  for (const auto& names : chains) {
    for (const Shape& image : {shape, Shape{1, 28, 28}}) {
      AugmentOptions options = settings;
      if (image[0] != 3) options.mean = options.std = {0.4};
      const AugmentChain chain(names, options, image);
      ASSERT_TRUE(chain.keeps_bytes());
      ASSERT_EQ(chain.tables().size(), static_cast<size_t>(image[0] * 256));
      const std::vector<uint8_t> pixels = picture(image);
      std::vector<uint8_t> bytes(pixels.size());
      std::vector<float> looked_up(pixels.size());
      std::vector<std::byte> scratch(chain.scratch_bytes());
      for (uint64_t key = 0; key < 200; ++key) {
        chain.run_bytes(pixels.data(), bytes.data(), mix(key), scratch.data());
        for (size_t i = 0; i < bytes.size(); ++i) {
          const size_t channel = i / static_cast<size_t>(image[1] * image[2]);
          looked_up[i] = chain.tables()[channel * 256 + bytes[i]];
        }
        ASSERT_EQ(looked_up, run(chain, mix(key))) << to_string(image) << " key " << key;
      }
    }
  }
}

TEST(Augment, ItIsKnownWhichStepNeedsFloats) {
  const auto first = [](const std::vector<std::string>& names) {
    return AugmentChain(names, settings, shape).needs_floats();
  };
  EXPECT_EQ(first({"pad-crop", "flip", "mean-std"}), "");
  EXPECT_EQ(first({"pad-crop", "flip", "standardise"}), "standardise");
  EXPECT_EQ(first({"pad-crop", "flip", "pad-crop", "mean-std"}), "pad-crop");
  EXPECT_EQ(first({"mean-std", "flip"}), "flip");  // moves come first, or not at all
  EXPECT_EQ(first({"flip", "rand-augment", "pad-crop", "mean-std"}), "");
  EXPECT_EQ(first({"flip", "rand-augment", "mean-std", "random-erase"}), "random-erase");
  test::expect_raises(Fault::bug, {"needs floats"}, [] {
    std::vector<uint8_t> pixels = picture(), out = pixels;
    AugmentChain({"standardise"}, settings, shape).run_bytes(pixels.data(), out.data(), 1, nullptr);
  });
}

TEST(Augment, EveryPolicyChangesMostPictures) {
  for (const AugmentDef& def : augment_catalog()) {
    if (def.policy.empty()) continue;
    AugmentOptions options = settings;
    options.own.set("augmix-severity", "10");
    const AugmentChain chain({std::string(def.name)}, options, shape);
    std::set<std::vector<float>> seen;
    for (uint64_t key = 0; key < 200; ++key) seen.insert(run(chain, mix(key)));
    EXPECT_GT(seen.size(), 20u) << def.name;
  }
}

// Floats that are whole numbers go through a chain as bytes do.
TEST(Augment, ImagesOfFloatsBecomeWhatBytesBecome) {
  const std::vector<uint8_t> pixels = picture();
  const std::vector<float> values(pixels.begin(), pixels.end());
  std::vector<float> out(pixels.size());
  using Names = std::vector<std::string>;
  for (const Names& names : {Names{},
                             {"mean-std"},
                             {"flip", "mean-std-reciprocal"},
                             {"pad-crop", "flip", "mean-std", "random-erase"},
                             {"ssd-jitter", "flip", "standardise"}}) {
    const AugmentChain chain(names, settings, shape);
    EXPECT_EQ(chain.needs_bytes(), "");
    std::vector<std::byte> scratch(chain.scratch_bytes());
    for (uint64_t key = 0; key < 50; ++key) {
      chain.run(values.data(), out.data(), mix(key), scratch.data());
      ASSERT_EQ(out, run(chain, mix(key))) << names.size() << " " << key;
    }
  }
  const AugmentChain policy({"flip", "rand-augment", "augmix"}, settings, shape);
  EXPECT_EQ(policy.needs_bytes(), "rand-augment");
  test::expect_raises(Fault::bug, {"needs bytes"},
                      [&] { policy.run(values.data(), out.data(), 0, nullptr); });
  test::expect_raises(Fault::usage, {"ssd-jitter", "1 channels"}, [] {
    AugmentChain({"ssd-jitter"}, settings, {1, 4, 4});
  });
}

TEST(Augment, StepsOfOneSampleDrawApart) {
  // Were both flips to draw the same, each picture would come out straight.
  const AugmentChain chain({"flip", "flip"}, settings, shape);
  const AugmentChain straight({}, settings, shape);
  int mirrored = 0;
  for (uint64_t key = 0; key < 1000; ++key) mirrored += run(chain, mix(key)) != run(straight, 0);
  EXPECT_NEAR(mirrored, 500, 80);
}

TEST(Augment, RefusesWhatCannotBe) {
  test::expect_raises(Fault::usage, {"'flp'", "did you mean 'flip'"},
                      [] { AugmentChain({"flp"}, settings, shape); });
  test::expect_raises(Fault::usage, {"crop padding of 8", "7x10", "--crop-padding"}, [] {
    AugmentChain({"pad-crop"}, {.own = {{"crop-padding", "8"}}}, shape);
  });
  test::expect_raises(Fault::usage, {"2 values for mean", "3 channels"}, [] {
    AugmentChain({"mean-std"}, {.own = {{"mean", "0.1,0.2"}}}, shape);
  });
  test::expect_raises(Fault::usage, {"rand-augment", "after mean-std"}, [] {
    AugmentChain({"mean-std", "rand-augment"}, settings, shape);
  });
  test::expect_raises(Fault::usage, {"std of 0"}, [] {
    AugmentChain({"mean-std"}, {.std = {1, 0, 1}}, shape);
  });
}

}  // namespace
}  // namespace convoy
