#include "data/mixing/mixing.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "base/random.h"
#include "support/raises.h"

namespace convoy {
namespace {

using test::expect_raises;

const Shape image{3, 32, 24};

Mixing mixing_of(const Settings& settings) {
  Fields field(settings);
  Mixing mixing;
  mixing.describe(field);
  field.finish();
  return mixing;
}
Mixing mixing_of(const std::vector<std::pair<std::string, std::string>>& options) {
  Settings settings;
  for (const auto& [key, text] : options) settings[key] = {text, "command line"};
  return mixing_of(settings);
}

// A micro-batch of n images of labels 0, 1 …
struct Drawn {
  Drawn(const Mixing& mixing, int64_t n, uint64_t key = 1, std::vector<int32_t> of = {})
      : labels(std::move(of)), source(room(n)), box(room(n)), share(room(n)), weight(room(n)) {
    for (int64_t i = std::ssize(labels); i < n; ++i) labels.push_back(static_cast<int32_t>(i));
    label.resize(static_cast<size_t>(n), -1);
    mixing.draw(key, n, image, labels.data(),
                {source.data(), box.data(), share.data(), weight.data(), label.data()});
  }
  static size_t room(int64_t n) { return static_cast<size_t>(n * 4); }
  double area() const {
    return static_cast<double>((box[2] - box[0]) * (box[3] - box[1])) / (32.0 * 24.0);
  }

  std::vector<int32_t> labels, source, box;
  std::vector<float> share, weight;
  std::vector<int32_t> label;
};

// What every form must give: a mixture, by area.
void expect_sound(const Drawn& d, int64_t n) {
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    const float* share = &d.share[i * 4];
    const float* weight = &d.weight[i * 4];
    EXPECT_EQ(d.source[i * 4], static_cast<int32_t>(i));
    double sum = 0;
    for (size_t j = 0; j < 4; ++j) {
      EXPECT_TRUE(d.source[i * 4 + j] >= 0 && d.source[i * 4 + j] < n);
      EXPECT_NEAR(weight[j], share[j] * (j < 2 ? 1 - d.area() : d.area()), 1e-6);
      sum += static_cast<double>(weight[j]);
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_NEAR(share[0] + share[1], 1, 1e-6);
    EXPECT_NEAR(share[2] + share[3], 1, 1e-6);
    const int32_t* box = &d.box[i * 4];
    EXPECT_TRUE(0 <= box[0] && box[0] <= box[2] && box[2] <= 24);
    EXPECT_TRUE(0 <= box[1] && box[1] <= box[3] && box[3] <= 32);
  }
}

TEST(Mixing, OneShareForABatchWithTheImageBefore) {
  const Mixing mixing = mixing_of({{"mixup-alpha", "0.4"}});
  double sum = 0;
  for (uint64_t key = 0; key < 400; ++key) {
    const Drawn d(mixing, 5, key);
    expect_sound(d, 5);
    EXPECT_EQ(d.area(), 0);
    sum += static_cast<double>(d.share[0]);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(d.share[i * 4], d.share[0]);
      EXPECT_EQ(d.source[i * 4 + 1], static_cast<int32_t>((i + 4) % 5));
      // By the larger part.
      EXPECT_EQ(d.label[i], d.source[i * 4 + (d.share[0] > 0.5f ? 0 : 1)]);
    }
  }
  EXPECT_NEAR(sum / 400, 0.5, 0.08);
}

TEST(Mixing, AShareForEachImageTheLargerOneItsOwn) {
  const Mixing mixing = mixing_of({{"mixup-alpha", "0.4"}, {"mixup-form", "sample"}});
  double sum = 0;
  for (uint64_t key = 0; key < 200; ++key) {
    const Drawn d(mixing, 6, key);
    expect_sound(d, 6);
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_GE(d.share[i * 4], 0.5f);
      EXPECT_EQ(d.source[i * 4 + 1], static_cast<int32_t>((i + 5) % 6));
      EXPECT_EQ(d.label[i], static_cast<int32_t>(i));
      sum += static_cast<double>(d.share[i * 4]);
    }
    EXPECT_NE(d.share[0], d.share[4]);
  }
  EXPECT_GT(sum / 1200, 0.8);
}

TEST(Mixing, TheFirstWithTheLast) {
  const Mixing mixing = mixing_of({{"mixup-alpha", "1"}, {"mixup-form", "reversed"}});
  const Drawn d(mixing, 5);
  expect_sound(d, 5);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(d.source[i * 4 + 1], static_cast<int32_t>(4 - i));
  }
  EXPECT_EQ(d.share[2 * 4], 1) << "the middle one is its own partner";
  EXPECT_NE(d.share[0], d.share[4]);
}

TEST(Mixing, ABoxOfTheImageBefore) {
  const Mixing mixing = mixing_of({{"cutmix-alpha", "1"}});
  double kept = 0;
  for (uint64_t key = 0; key < 500; ++key) {
    const Drawn d(mixing, 4, key);
    expect_sound(d, 4);
    for (size_t i = 0; i < 4 && d.area() > 0; ++i) {
      EXPECT_EQ(d.source[i * 4 + 2], static_cast<int32_t>((i + 3) % 4));
      EXPECT_EQ(d.share[i * 4], 1);
      const int32_t own = d.source[i * 4], other = d.source[i * 4 + 2];
      const int32_t larger = d.area() > 0.5 ? other : d.area() < 0.5 ? own : std::min(own, other);
      EXPECT_EQ(d.label[i], larger) << d.area();
    }
    kept += 1 - d.area();
  }
  // More than the half that lambda is in the mean: boxes are cut off at the border.
  EXPECT_GT(kept / 500, 0.55);
  EXPECT_LT(kept / 500, 0.75);
}

TEST(Mixing, WithTwoAlphasHalfOfTheBatchesHaveEither) {
  const Mixing mixing = mixing_of({{"mixup-alpha", "0.2"}, {"cutmix-alpha", "1"}});
  int cut = 0;
  for (uint64_t key = 0; key < 1000; ++key) {
    const Drawn d(mixing, 4, key);
    expect_sound(d, 4);
    const bool mixed = d.share[0] != 1;
    EXPECT_FALSE(mixed && d.area() > 0);
    cut += !mixed;
  }
  EXPECT_NEAR(cut, 500, 64);
}

TEST(Mixing, FourLabelsWhereMixedImagesAreCut) {
  const Mixing mixing =
      mixing_of({{"mixup-alpha", "0.2"}, {"cutmix-lambda", "0.75"}, {"cutmix-version", "2"}});
  for (const int64_t n : {2, 3, 6}) {
    const Drawn d(mixing, n);
    expect_sound(d, n);
    EXPECT_NEAR(d.area(), 0.25, 0.03);
    const auto before = [n](size_t i, int64_t by) {
      return static_cast<int32_t>((static_cast<int64_t>(i) + n - by) % n);
    };
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      const int32_t cut = before(i, n > 2 ? 2 : 1);
      EXPECT_EQ(d.source[i * 4 + 1], before(i, 1));
      EXPECT_EQ(d.source[i * 4 + 2], cut);
      EXPECT_EQ(d.source[i * 4 + 3], before(static_cast<size_t>(cut), 1));
      EXPECT_EQ(d.share[i * 4 + 2], d.share[static_cast<size_t>(cut) * 4]) << "the rolled share";
      EXPECT_GE(d.share[i * 4], 0.5f) << "a share for each image";
      EXPECT_EQ(d.label[i], static_cast<int32_t>(i));
    }
  }
}

TEST(Mixing, EqualLabelsCountTogether) {
  const Mixing mixing = mixing_of({{"cutmix-alpha", "1"}});
  for (uint64_t key = 0; key < 50; ++key) {
    const Drawn d(mixing, 3, key, {7, 7, 7});
    EXPECT_EQ(d.label, (std::vector<int32_t>{7, 7, 7}));
  }
}

TEST(Mixing, ASingleImageStaysAsItIs) {
  using Options = std::vector<std::pair<std::string, std::string>>;
  for (const Options& options :
       {Options{{"mixup-alpha", "1"}}, Options{{"mixup-alpha", "1"}, {"mixup-form", "reversed"}},
        Options{{"cutmix-alpha", "1"}},
        Options{{"mixup-alpha", "1"}, {"cutmix-lambda", "0.5"}, {"cutmix-version", "2"}}}) {
    const Drawn d(mixing_of(options), 1);
    EXPECT_EQ(d.share[0], 1);
    EXPECT_EQ(d.weight, (std::vector<float>{1, 0, 0, 0}));
    EXPECT_EQ(d.area(), 0);
    EXPECT_EQ(d.label[0], 0);
  }
}

// Of 1.55 * 0.85 - 0.96 = 0.3575 nothing is cut; of the others -4 * (1 - lambda) is the logarithm
// of a uniform number: the mean is 1 - 0.25 * (1 - 5 e^-4) / (1 - e^-4).
TEST(Mixing, TheDrawnCutmixHasItsDistribution) {
  constexpr int count = 20000;
  int whole = 0, below_half = 0;
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    Random random(random_key(3, Purpose::mixing, static_cast<uint64_t>(i)));
    const double u0 = random.uniform(), lambda = drawn_cutmix_lambda(0.85, u0, random.uniform());
    ASSERT_TRUE(lambda >= 0 && lambda <= 1);
    if (lambda == 1) {
      ++whole;
    } else {
      sum += lambda;
      below_half += lambda < 0.5;
    }
  }
  const double least = std::exp(-4.0);
  EXPECT_NEAR(whole, 0.3575 * count, 4 * std::sqrt(0.3575 * 0.6425 * count));
  const double others = count - whole;
  EXPECT_NEAR(sum / others, 1 - 0.25 * (1 - 5 * least) / (1 - least), 0.006);
  EXPECT_NEAR(below_half / others, (std::exp(-2.0) - least) / (1 - least), 0.012);
  EXPECT_EQ(drawn_cutmix_lambda(0.85, 0.5, 0), 0);
}

// Corners by hand: a centre near the border is moved, and halves go to the even number.
TEST(Mixing, InnerBoxesStayInsideWithTheirSize) {
  const auto sides = [](const MixBox& b) { return std::array{b.left, b.top, b.right, b.bottom}; };
  EXPECT_EQ(sides(inner_box(0.75, 0.5, 0.5, 32, 32)), (std::array{8, 8, 24, 24}));
  EXPECT_EQ(sides(inner_box(0.75, 0, 0.99, 32, 24)), (std::array{0, 16, 12, 32}));
  EXPECT_EQ(sides(inner_box(1, 0.3, 0.6, 32, 32)), (std::array{10, 19, 10, 19}));
  EXPECT_EQ(sides(inner_box(0, 0.3, 0.6, 32, 24)), (std::array{0, 0, 24, 32}));
  EXPECT_EQ(inner_box(0.75, 0.5, 0.5, 32, 32).kept(1024), 0.75);
}

TEST(Mixing, RefusesOptionsThatWouldDoNothing) {
  expect_raises(Fault::usage, {"--cutmix-alpha", "--cutmix-lambda", "try:"}, [] {
    mixing_of({{"cutmix-alpha", "1"}, {"cutmix-lambda", "0.8"}});
  });
  expect_raises(Fault::usage, {"--cutmix-version 2", "try: --cutmix-lambda"}, [] {
    mixing_of({{"cutmix-version", "2"}});
  });
  expect_raises(Fault::usage, {"--mixup-form sample", "try: --mixup-alpha"}, [] {
    mixing_of({{"mixup-form", "sample"}});
  });
  expect_raises(Fault::usage, {"mixup-form", "reversed"}, [] {
    mixing_of({{"mixup-alpha", "1"}, {"mixup-form", "backwards"}});
  });
  expect_raises(Fault::usage, {"mixup-alpha"}, [] { mixing_of({{"mixup-alpha", "-1"}}); });
  expect_raises(Fault::usage, {"--cutmix-lambda", "try: --batch-size 2"}, [] {
    mixing_of({{"cutmix-lambda", "0.5"}}).check(1);
  });
  mixing_of({{"mixup-alpha", "0"}, {"cutmix-lambda", "1"}}).check(1);
}

}  // namespace
}  // namespace convoy
