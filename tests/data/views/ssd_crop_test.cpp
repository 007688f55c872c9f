// The crops and images of SSD, against tests/fixtures/make_ssd_data.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "data/augment/augment_chain.h"
#include "data/views/view_maker.h"
#include "support/fixture.h"

namespace convoy {
namespace {

constexpr int64_t side = 300;

// The largest difference of two distributions, one of them given by each tenth of its draws.
double distance(std::vector<double> ours, const nlohmann::json& tenths) {
  std::ranges::sort(ours);
  const auto theirs = tenths.get<std::vector<double>>();
  double most = 0;
  for (size_t i = 0; i < theirs.size(); ++i) {
    const auto below = std::ranges::upper_bound(ours, theirs[i] / 1e5) - ours.begin();
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(theirs.size());
    most = std::max(
        most, std::abs(static_cast<double>(below) / static_cast<double>(ours.size()) - share));
  }
  return most + 0.5 / static_cast<double>(theirs.size());
}

// Where Kolmogorov's and Smirnov's test of two samples has p = 0.01.
double limit(double n, double m) { return 1.628 * std::sqrt((n + m) / (n * m)); }

bool has_centre(const PictureView& view, const Box& object, double width, double height) {
  const double y = (object.ymin + object.ymax) / 2 * height,
               x = (object.xmin + object.xmax) / 2 * width;
  return view.y.from < y && y < view.y.from + view.y.length && view.x.from < x &&
         x < view.x.from + view.x.length;
}

TEST(SsdCrop, IsDistributedAsTheFixture) {
  constexpr int64_t width = 640, height = 427;
  const auto view = find_view("ssd-crop").make({.size = side});
  const nlohmann::json all = test::fixture("ssd_data");
  for (const auto& each : all.at("crops")) {
    std::vector<Box> objects;
    for (const auto& o : each.at("objects")) {
      objects.push_back(
          {o[0].get<float>(), o[1].get<float>(), o[2].get<float>(), o[3].get<float>()});
    }
    const auto draws = each.at("draws").get<int64_t>();
    std::vector<double> heights, widths, ratios, ymins, xmins;
    std::vector<double> kept(objects.size() + 1);
    for (int64_t i = 0; i < draws; ++i) {
      const PictureView drawn =
          view->make(width, height, objects, Random(mix(static_cast<uint64_t>(i))));
      const double h = drawn.y.length / height, w = drawn.x.length / width;
      const double y = drawn.y.from / height, x = drawn.x.from / width;
      ++kept[static_cast<size_t>(std::ranges::count_if(
          objects, [&](const Box& o) { return has_centre(drawn, o, width, height); }))];
      ASSERT_TRUE(y >= 0 && x >= 0 && y + h <= 1 && x + w <= 1);
      if (h == 1 && w == 1) continue;
      heights.push_back(h);
      widths.push_back(w);
      ratios.push_back(h / w);
      ymins.push_back(y / (1 - h));
      xmins.push_back(x / (1 - w));
    }
    const auto cropped = static_cast<double>(heights.size());
    const double theirs = static_cast<double>(draws) - each.at("whole").get<double>();
    EXPECT_LT(std::abs(cropped - theirs) / static_cast<double>(draws), limit(1e4, 1e4));
    const double most = limit(cropped, theirs);
    EXPECT_LT(distance(heights, each.at("height")), most);
    EXPECT_LT(distance(widths, each.at("width")), most);
    EXPECT_LT(distance(ratios, each.at("ratio")), most);
    EXPECT_LT(distance(ymins, each.at("ymin")), most);
    EXPECT_LT(distance(xmins, each.at("xmin")), most);
    double below = 0, below_theirs = 0;
    for (size_t k = 0; k < kept.size(); ++k) {
      below += kept[k] / static_cast<double>(draws);
      below_theirs += each.at("kept")[k].get<double>() / static_cast<double>(draws);
      EXPECT_LT(std::abs(below - below_theirs), limit(1e4, 1e4)) << k << " objects";
    }
    EXPECT_EQ(kept[0], 0);  // a crop keeps an object
  }
}

TEST(SsdCrop, TakesTheWholePictureWhereNoCropCanHaveAnObject) {
  const auto view = find_view("ssd-crop").make({.size = side});
  for (const std::vector<Box>& objects :
       {std::vector<Box>{}, {{0.5f, 0.5f, 0.5f, 0.5f}}, {{0, 0, 0.01f, 0.01f}, {0, 0, 0, 0}}}) {
    for (uint64_t key = 0; key < 50; ++key) {
      const PictureView drawn = view->make(64, 48, objects, Random(mix(key)));
      EXPECT_EQ(drawn.y.length, 48);
      EXPECT_EQ(drawn.x.length, 64);
    }
  }
}

void expect_thinned(const std::vector<float>& image, const nlohmann::json& wanted, size_t stride,
                    double most, const std::string& what) {
  double largest = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::abs(image[i * stride] - wanted[i].get<double>()));
  }
  EXPECT_LT(largest, most) << what;
}

std::vector<float> resized(const Pixels& photo, const PictureView& view, Interpolation how) {
  Resizer resizer;
  std::vector<float> image(3 * side * side);
  resizer.plan(view, photo.region.width, photo.region.height, how);
  resizer.run(photo, image.data());
  return image;
}

TEST(SsdCrop, APhotoBecomesTheFixturesImage) {
  const nlohmann::json all = test::fixture("ssd_data").at("photo");
  const auto stride = all.at("stride").get<size_t>();
  const std::string bytes = read_file(test::fixture_path("pictures/hopper.jpg"), Fault::bug);
  const Pixels photo = decode_picture(bytes, "hopper", false);
  const AugmentOptions options{.mean = {0.485, 0.456, 0.406}, .std = {0.229, 0.224, 0.225}};
  const AugmentChain training({"flip", "ssd-jitter", "mean-std-reciprocal"}, options,
                              {3, side, side});
  const AugmentChain evaluation({"mean-std-reciprocal"}, options, {3, side, side});
  std::vector<float> out(3 * side * side);
  for (const auto& each : all.at("crops")) {
    const auto axis = [&](size_t low, size_t high, int64_t pixels) {
      const double from = each.at("box")[low].get<float>(), to = each.at("box")[high].get<float>();
      const auto whole = static_cast<double>(pixels);
      return ViewAxis{from * whole, (to - from) * whole, side, 0, side};
    };
    const std::vector<float> image =
        resized(photo, {axis(1, 3, photo.region.width), axis(0, 2, photo.region.height)},
                Interpolation::corner_aligned);
    expect_thinned(image, each.at("resized"), stride, 1e-3, "resized");
    training.run(image.data(), out.data(), each.at("key").get<uint64_t>(), nullptr);
    expect_thinned(out, each.at("network"), stride, 5e-5, "for the network");
  }
  const auto whole = find_view("ssd-whole").make({.size = side});
  const std::vector<float> image =
      resized(photo, whole->make(photo.region.width, photo.region.height, {}, Random(0)),
              *find_view("ssd-whole").how);
  evaluation.run(image.data(), out.data(), 0, nullptr);
  expect_thinned(out, all.at("whole"), stride, 1e-5, "whole");
}

TEST(SsdCrop, PixelsOutsideOfThePictureAreZero) {
  Pixels pixels{.region = {0, 0, 4, 4}, .bytes = std::vector<uint8_t>(64, 100)};
  Resizer resizer;
  // From one pixel before the picture to its end.
  const ViewAxis axis{-4.0 / 3, 16.0 / 3, 5, 0, 5};
  resizer.plan({axis, axis}, 4, 4, Interpolation::corner_aligned);
  std::vector<float> image(75, -1);
  resizer.run(pixels, image.data());
  for (size_t i = 0; i < 25; ++i) EXPECT_EQ(image[i], i % 5 == 0 || i < 5 ? 0 : 100) << i;
}

}  // namespace
}  // namespace convoy
