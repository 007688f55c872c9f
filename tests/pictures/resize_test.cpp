// Views of photos against what Pillow, torchvision and TensorFlow made of them: 600 samples of each
// view, at places both sides know.
#include "pictures/resize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <map>

#include "pictures/files.h"
#include "support/shared_data.h"

namespace convoy::test {
namespace {

constexpr int64_t side = 224;

// As torchvision: the shorter side becomes 256, the longer is cut off; the middle 224, where halves
// go to the even number.
PictureView evaluation_view(int64_t width, int64_t height) {
  constexpr int64_t small = 256;
  const int64_t shorter = std::min(width, height);
  const auto axis = [&](int64_t size) {
    const int64_t whole = size == shorter ? small : small * size / shorter;
    const auto first = std::llrint(static_cast<double>(whole - side) / 2);
    return ViewAxis{0, static_cast<double>(size), whole, first, side};
  };
  return {axis(width), axis(height)};
}

PictureView box_view(int64_t width, int64_t height) {
  const auto axis = [](int64_t from, int64_t length) {
    return ViewAxis{static_cast<double>(from), static_cast<double>(length), side, 0, side};
  };
  return {axis(width / 7, width * 3 / 5), axis(height / 9, height * 2 / 3)};
}

struct Errors {
  int largest = 0;
  int64_t other = 0, beyond_one = 0, count = 0;
};

TEST(Resize, OfPhotosIsThatOfTheOthers) {
  const auto peer = fixture("pictures/pictures");
  const std::string samples = picture_bytes("photos.bin");
  const auto per_view = peer.at("samples").get<size_t>();
  const auto photos = shared_data("imagenet/val140");
  std::map<std::string, Errors> errors;
  size_t next = 0;
  int tested = 0;
  PictureDecoder decoder;
  Resizer resizer;
  Pixels pixels;
  std::vector<uint8_t> image(3 * side * side);
  for (const std::string photo : peer.at("photos")) {
    const bool is_ours = photo.find('/') == photo.npos;
    if (!is_ours && !photos) break;
    const std::string bytes =
        is_ours ? picture_bytes(photo)
                : read_file(photos->parent_path().parent_path() / photo, Fault::bug);
    for (const std::string name : peer.at("views")) {
      const PictureInfo info = decoder.open(bytes, photo);
      const bool is_evaluation = name == "evaluation";
      const PictureView view = is_evaluation ? evaluation_view(info.width, info.height)
                                             : box_view(info.width, info.height);
      const PixelRect& region =
          resizer.plan(view, info.width, info.height,
                       value_of<Interpolation>(is_evaluation ? "bilinear" : name).value());
      decoder.decode(region, DecodeSpeed::exact, 1, pixels);
      resizer.run(pixels, image.data());
      Errors& e = errors[name];
      for (size_t k = 0; k < per_view; ++k, ++next) {
        const int want = static_cast<uint8_t>(samples.at(next));
        const int error = std::abs(image[(17 + 104729 * k) % image.size()] - want);
        e.largest = std::max(e.largest, error);
        e.other += error > 0;
        e.beyond_one += error > 1;
        ++e.count;
      }
    }
    ++tested;
  }
  for (const auto& [name, e] : errors) {
    std::cout << name << ": " << tested << " photos, " << e.other << " of " << e.count
              << " samples differ, by at most " << e.largest << "\n";
  }
  for (const auto& [name, e] : errors) EXPECT_EQ(e.beyond_one, 0) << name;
  // Pillow sums in whole numbers, we in floats: a sum that lies on a half may go either way.
  for (const char* name : {"evaluation", "bilinear", "bicubic"}) {
    EXPECT_LE(errors[name].other * 200, errors[name].count) << name;
  }
  EXPECT_EQ(errors["nearest"].other, 0);
  EXPECT_EQ(tested, photos ? 52 : 2);
}

// One pixel of the view by the definition, in double: rows first, rounded, then the column.
double plain(const Pixels& p, const PictureView& view, int64_t x, int64_t y, int c, bool cubic) {
  const auto weights = [&](const ViewAxis& axis, int64_t i) {
    const double scale = axis.length / static_cast<double>(axis.whole), wide = std::max(1.0, scale);
    const double centre = (static_cast<double>(axis.first + i) + 0.5) * scale;
    std::vector<double> found(static_cast<size_t>(axis.length));
    double sum = 0;
    for (size_t k = 0; k < found.size(); ++k) {
      const double d = std::abs((static_cast<double>(k) + 0.5 - centre) / wide);
      if (!cubic) found[k] = std::max(0.0, 1 - d);
      if (cubic && d < 1) found[k] = 1.5 * d * d * d - 2.5 * d * d + 1;
      if (cubic && d >= 1 && d < 2) found[k] = -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2;
      sum += found[k];
    }
    for (double& w : found) w /= sum;
    return found;
  };
  const auto wx = weights(view.x, x), wy = weights(view.y, y);
  double value = 0;
  for (size_t v = 0; v < wy.size(); ++v) {
    double row = 0;
    for (size_t u = 0; u < wx.size(); ++u) {
      row += wx[u] * p.at(static_cast<int64_t>(view.x.from) + static_cast<int64_t>(u),
                          static_cast<int64_t>(view.y.from) + static_cast<int64_t>(v))[c];
    }
    value += wy[v] * std::clamp(std::floor(row + 0.5), 0.0, 255.0);
  }
  return std::clamp(value, 0.0, 255.0);
}

TEST(Resize, FollowsTheDefinitionForOddSizes) {
  const Pixels pixels = decode_picture(picture_bytes("sampled_1x1.jpg"), "pattern", false);
  const auto axis = [](double from, double length, int64_t whole, int64_t first, int64_t some) {
    return ViewAxis{from, length, whole, first, some};
  };
  int near = 0, count = 0;
  for (const PictureView& view : {PictureView{axis(0, 93, 1, 0, 1), axis(0, 61, 1, 0, 1)},
                                  PictureView{axis(0, 93, 93, 0, 93), axis(0, 61, 61, 0, 61)},
                                  PictureView{axis(5, 1, 7, 0, 7), axis(60, 1, 3, 0, 3)},
                                  PictureView{axis(92, 1, 5, 2, 3), axis(0, 3, 50, 40, 10)},
                                  PictureView{axis(3, 90, 31, 7, 17), axis(1, 59, 300, 290, 10)}}) {
    for (const bool cubic : {false, true}) {
      Resizer resizer;
      const PixelRect region =
          resizer.plan(view, 93, 61, cubic ? Interpolation::bicubic : Interpolation::bilinear);
      EXPECT_GE(region.x, view.x.from);
      EXPECT_LE(region.x + region.width, view.x.from + view.x.length);
      std::vector<uint8_t> image(static_cast<size_t>(3 * view.x.count * view.y.count));
      resizer.run(pixels, image.data());
      for (int c = 0; c < 3; ++c) {
        for (int64_t y = 0; y < view.y.count; ++y) {
          for (int64_t x = 0; x < view.x.count; ++x) {
            const double got =
                image[static_cast<size_t>((c * view.y.count + y) * view.x.count + x)];
            const double error = std::abs(got - plain(pixels, view, x, y, c, cubic));
            ASSERT_LE(error, 1.6);  // a sum between that lies on a half may go either way
            near += error <= 0.5 + 1e-3;
            ++count;
          }
        }
      }
    }
  }
  EXPECT_GE(near * 1000.0, count * 995.0) << near << " of " << count;
}

}  // namespace
}  // namespace convoy::test
