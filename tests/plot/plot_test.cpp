#include "plot/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "pictures/png.h"
#include "plot/font.h"

namespace convoy::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// Through a file, as whoever looks at it.
Pixels decoded(const Plot& plot) {
  const std::string bytes = encode_png(draw(plot));
  Pixels pixels;
  std::vector<std::string> remarks;
  decode_png(bytes, "plot", pixels, remarks);
  EXPECT_TRUE(remarks.empty());
  EXPECT_EQ(pixels.region, (PixelRect{0, 0, plot.width, plot.height}));
  return pixels;
}

Ink ink_at(const Pixels& pixels, int64_t x, int64_t y) {
  const uint8_t* p = pixels.at(x, y);
  return {p[0], p[1], p[2]};
}

int64_t count(const Pixels& pixels, const PixelRect& area, Ink ink) {
  int64_t found = 0;
  for (int64_t y = area.y; y < area.y + area.height; ++y) {
    for (int64_t x = area.x; x < area.x + area.width; ++x) found += ink_at(pixels, x, y) == ink;
  }
  return found;
}

Plot plot_of(std::vector<double> x, std::vector<double> y, bool logarithmic = false) {
  return {"title",
          {{.x = {"step"},
            .y = {"loss", logarithmic},
            .series = {{"one", plot_ink::blue, std::move(x), std::move(y)}},
            .marks = {}}}};
}

std::vector<std::string> labels(const Scale& scale, int most) {
  std::vector<std::string> all;
  for (const Tick& tick : scale.ticks(most)) {
    if (!tick.label.empty()) all.push_back(tick.label);
  }
  return all;
}

using Words = std::vector<std::string>;

TEST(Plot, ALineGoesThroughItsPointsAndNowhereElse) {
  const Plot plot = plot_of({0, 1, 2, 3, 4}, {0, 1, 4, 9, 16});
  const Pixels pixels = decoded(plot);
  const PixelRect area = curve_areas(plot)[0];
  const Scale x = x_scale(plot.panels[0]), y = y_scale(plot.panels[0]);
  const auto column = [&](double v) {
    return area.x + static_cast<int64_t>(x.at(v) * static_cast<double>(area.width));
  };
  const auto row = [&](double v) {
    return area.y + static_cast<int64_t>((1 - y.at(v)) * static_cast<double>(area.height));
  };
  for (const double v : {1.0, 2.0, 3.0}) {
    EXPECT_EQ(ink_at(pixels, column(v), row(v * v)), plot_ink::blue) << v;
  }
  EXPECT_NE(ink_at(pixels, column(2), row(8)), plot_ink::blue);
  // Between points the line is straight, and its edge is smooth.
  EXPECT_EQ(ink_at(pixels, column(2.5), row(6.5)), plot_ink::blue);
  int64_t between = 0;
  for (int64_t i = 0; i < area.height; ++i) {
    const Ink ink = ink_at(pixels, column(2.5) + 3, area.y + i);
    between += ink.red > plot_ink::blue.red && ink.red < 200;
  }
  EXPECT_GE(between, 1);
  EXPECT_LE(between, 6);
}

TEST(Plot, PanelsStandBelowOneAnotherEachWithItsLegendAndMarks) {
  Plot plot = plot_of({1, 10, 100}, {3, 2, 1});
  plot.panels[0].x.logarithmic = true;
  plot.panels[0].marks = {{"best", plot_ink::red, 10}};
  plot.panels[0].share = 2;
  plot.panels.push_back(plot_of({0, 5}, {0.9, 0.9}).panels[0]);
  plot.panels[1].series[0].ink = plot_ink::green;
  const Pixels pixels = decoded(plot);
  const std::vector<PixelRect> areas = curve_areas(plot);
  ASSERT_EQ(areas.size(), 2u);
  EXPECT_NEAR(static_cast<double>(areas[0].height), 2.0 * static_cast<double>(areas[1].height), 2);
  EXPECT_EQ(areas[0].x, areas[1].x);
  EXPECT_GT(areas[1].y, areas[0].y + areas[0].height);
  EXPECT_GT(count(pixels, areas[0], plot_ink::blue), 500);
  EXPECT_EQ(count(pixels, areas[0], plot_ink::green), 0);
  EXPECT_EQ(count(pixels, areas[1], plot_ink::blue), 0);
  // The mark is halfway on a logarithmic axis.
  const int64_t middle = areas[0].x + areas[0].width / 2;
  EXPECT_GE(count(pixels, {middle - 2, areas[0].y, 4, areas[0].height}, plot_ink::red),
            areas[0].height);
  // A constant is in the middle of its panel.
  EXPECT_EQ(ink_at(pixels, areas[1].x + 200, areas[1].y + areas[1].height / 2), plot_ink::green);
  // Legends: above.
  const PixelRect above{areas[0].x, areas[0].y - 24, areas[0].width, 20};
  EXPECT_GT(count(pixels, above, plot_ink::blue), 20);
  EXPECT_GT(count(pixels, above, plot_ink::red), 20);
}

TEST(Plot, WhatCannotBeShownInterruptsTheLine) {
  const Plot plot = plot_of({0, 1, 2, 3, 4, 5}, {1, 1, nan, inf, 1, 1});
  const Pixels pixels = decoded(plot);
  const PixelRect area = curve_areas(plot)[0];
  const int64_t y = area.y + area.height / 2;
  EXPECT_EQ(ink_at(pixels, area.x + area.width / 10, y), plot_ink::blue);
  EXPECT_NE(ink_at(pixels, area.x + area.width / 2, y), plot_ink::blue);
  EXPECT_EQ(ink_at(pixels, area.x + area.width * 9 / 10, y), plot_ink::blue);
  // Zero on a logarithmic axis.
  const Plot logs = plot_of({0, 1, 2}, {0, 10, 10}, true);
  EXPECT_GT(count(decoded(logs), curve_areas(logs)[0], plot_ink::blue), 100);
}

TEST(Plot, LittleOrNothingToShowIsStillAPlot) {
  for (const bool logarithmic : {false, true}) {
    const Plot dot = plot_of({3}, {0.5}, logarithmic);
    EXPECT_GT(count(decoded(dot), curve_areas(dot)[0], plot_ink::blue), 10);
    for (const std::vector<double>& y :
         {std::vector<double>{}, {nan}, {inf, -inf}, {0, 0}, {-1, -2}, {1e308, -1e308}}) {
      std::vector<double> x(y.size());
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
      decoded(plot_of(x, y, logarithmic));
    }
  }
  decoded({"no panels", {}});
  // Far out of sight.
  Plot cut = plot_of({0, 1, 2, 3}, {1, 2, 3, 1e200});
  cut.panels[0].y_most = 10;
  EXPECT_LT(y_scale(cut.panels[0]).high(), 4);
  EXPECT_GT(count(decoded(cut), curve_areas(cut)[0], plot_ink::blue), 500);
}

TEST(Plot, AnAxisCoversWhatItMustWhateverTheDataIs) {
  Plot plot = plot_of({0.4, 0.5}, {0.2, 0.3});
  plot.panels[0].x.covers = {0, 1};
  plot.panels[0].y.covers = {0, 1};
  EXPECT_EQ(x_scale(plot.panels[0]).low(), 0);
  EXPECT_EQ(x_scale(plot.panels[0]).high(), 1);
  EXPECT_LE(y_scale(plot.panels[0]).low(), 0);
  EXPECT_GE(y_scale(plot.panels[0]).high(), 1);
  EXPECT_GT(count(decoded(plot), curve_areas(plot)[0], plot_ink::blue), 50);
}

TEST(Plot, TicksAreRoundNumbers) {
  const auto scale = [](std::vector<double> values, bool logarithmic = false) {
    return Scale(values, logarithmic, 0);
  };
  EXPECT_EQ(labels(scale({0, 3910}), 8),
            (Words{"0", "500", "1000", "1500", "2000", "2500", "3000", "3500"}));
  EXPECT_EQ(labels(scale({0, 0.1}), 5), (Words{"0", "0.02", "0.04", "0.06", "0.08", "0.10"}));
  EXPECT_EQ(labels(scale({-1.5, 2}), 4), (Words{"-1", "0", "1", "2"}));
  EXPECT_EQ(labels(scale({0, 1e-7}), 2), (Words{"0", "5e-08", "1e-07"}));
  EXPECT_EQ(labels(scale({1e-6, 10}, true), 10),
            (Words{"1e-6", "1e-5", "1e-4", "0.001", "0.01", "0.1", "1", "10"}));
  EXPECT_EQ(labels(scale({1e-12, 1e12}, true), 6), (Words{"1e-10", "1e-5", "1", "100000", "1e10"}));
  EXPECT_EQ(labels(scale({2, 9}, true), 4), (Words{"2", "4", "6", "8"}));
  EXPECT_EQ(labels(scale({7, 7}), 4), (Words{"4", "6", "8", "10"}));
  for (const bool logarithmic : {false, true}) {
    for (const double high : {1e-12, 3e-5, 0.017, 1.0, 42.0, 1e9, 1e250}) {
      const Scale s = scale({high / 1000, high}, logarithmic);
      const std::vector<Tick> ticks = s.ticks(8);
      EXPECT_GE(labels(s, 8).size(), 2u) << high;
      EXPECT_LE(labels(s, 8).size(), 9u) << high;
      for (const Tick& tick : ticks) {
        EXPECT_GE(s.at(tick.value), -1e-6) << high;
        EXPECT_LE(s.at(tick.value), 1 + 1e-6) << high;
      }
    }
  }
}

TEST(Plot, EveryPrintableLetterLooksDifferent) {
  std::set<std::string> seen;
  for (char letter = ' '; letter <= '~'; ++letter) {
    std::string shape;
    for (int y = 0; y < glyph_height; ++y) {
      for (int x = 0; x < glyph_width; ++x) shape += has_ink(letter, x, y) ? '#' : '.';
    }
    EXPECT_TRUE(seen.insert(shape).second) << letter << " looks like another\n" << shape;
    EXPECT_EQ(shape.find('#') == shape.npos, letter == ' ') << letter;
  }
  EXPECT_EQ(has_ink('\n', 1, 0), has_ink('?', 1, 0));
  EXPECT_FALSE(has_ink('H', -1, 0) || has_ink('H', glyph_width, 0) ||
               has_ink('H', 0, glyph_height));
  EXPECT_EQ(printable("caf\xc3\xa9\t1"), "caf??1");
}

}  // namespace
}  // namespace convoy::test
