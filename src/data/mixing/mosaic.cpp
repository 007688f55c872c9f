#include "data/mixing/mosaic.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "data/objects.h"

namespace convoy {
namespace {

constexpr double least_meeting = 0.3, most_meeting = 0.7;  // shares of the image's sides
constexpr double least_scale = 0.5;

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

// Where a range of output pixels is taken from in one direction: pixel i from its centre at
// `from + (i + 1/2) / scale`.
struct Window {
  double from, scale;
  double source(int64_t i) const { return from + (static_cast<double>(i) + 0.5) / scale; }
  double target(double source) const { return (source - from) * scale; }
};

// The two neighbours of a point among `length` pixels, and the weight of the second one.
struct Tap {
  int64_t low, high;
  float weight;

  Tap(double at, int64_t length) {
    const double inside = std::clamp(at - 0.5, 0.0, static_cast<double>(length - 1));
    low = static_cast<int64_t>(inside);
    high = std::min(low + 1, length - 1);
    weight = static_cast<float>(inside - static_cast<double>(low));
  }
};

uint8_t stored(float value, const uint8_t*) { return static_cast<uint8_t>(value + 0.5f); }
float stored(float value, const float*) { return value; }

// Bilinear: the scale is at most 1 and at least a half, so hardly a pixel is passed over.
template <class T>
void resample(const T* from, const Shape& shape, const Window& across, const Window& down,
              int64_t width, int64_t height, T* to) {
  const int64_t rows = shape[1], columns = shape[2];
  for (int64_t y = 0; y < height; ++y) {
    const Tap row(down.source(y), rows);
    for (int64_t x = 0; x < width; ++x) {
      const Tap column(across.source(x), columns);
      for (int64_t c = 0; c < shape[0]; ++c) {
        const T* plane = from + c * rows * columns;
        const auto along = [&](int64_t r) {
          const auto a = static_cast<float>(plane[r * columns + column.low]);
          const auto b = static_cast<float>(plane[r * columns + column.high]);
          return a + (b - a) * column.weight;
        };
        const float upper = along(row.low), lower = along(row.high);
        to[(c * rows + y) * columns + x] = stored(upper + (lower - upper) * row.weight, to);
      }
    }
  }
}

struct Range {
  double low, high;
  double centre() const { return (low + high) / 2; }
};

// From fractions of the picture to pixels of a quarter.
Range range_of(const Geometry::Axis& axis, float low, float high, const Window& window) {
  const double a = window.target(axis.at(static_cast<double>(low))),
               b = window.target(axis.at(static_cast<double>(high)));
  return {std::min(a, b), std::max(a, b)};
}

bool has_centre(const Range& range, int64_t length) {
  return range.centre() > 0 && range.centre() < static_cast<double>(length);
}

// As fractions of the whole image.
Range placed(const Range& range, int64_t begin, int64_t length, int64_t whole) {
  const auto at = [&](double x) {
    return (static_cast<double>(begin) + std::clamp(x, 0.0, static_cast<double>(length))) /
           static_cast<double>(whole);
  };
  return {at(range.low), at(range.high)};
}

}  // namespace

bool MosaicRule::picks(int64_t epoch, uint64_t key) const {
  return on() && epoch < until_epoch && Random(key).uniform() < share;
}

MosaicMaker::MosaicMaker(const Dataset& dataset)
    : dataset_(dataset), memory_(static_cast<size_t>(stored_bytes(dataset.image()))) {
  expect(dataset.has_objects(), "samples with objects");
}

void MosaicMaker::read(int64_t index, uint64_t key, Sample& sample) {
  const Shape image = dataset_.image_shape();
  const int64_t height = image[1], width = image[2];
  Random random(mix(key ^ mix(static_cast<uint64_t>(index))));
  const auto meeting = [&](int64_t side) {
    const auto at = between(random, least_meeting, most_meeting) * static_cast<double>(side);
    return std::clamp<int64_t>(std::llround(at), 1, side - 1);
  };
  const int64_t x = meeting(width), y = meeting(height);
  const std::array<Quarter, 4> quarters{
      {{0, 0, x, y}, {x, 0, width - x, y}, {0, y, x, height - y}, {x, y, width - x, height - y}}};
  boxes_.clear();
  classes_.clear();
  int64_t image_id = 0;
  for (size_t i = 0; i < quarters.size(); ++i) {
    const int64_t which =
        i == 0 ? index : static_cast<int64_t>(random.below(static_cast<uint32_t>(dataset_.size())));
    const uint64_t view_key = random.bits(), window_key = random.bits();
    part_.begin(memory_.data(), dataset_.image_type());
    dataset_.read(which, view_key, part_);
    if (i == 0) image_id = part_.get<int64_t>(object_tensor::image_id)[0];
    if (dataset_.image_type() == DType::u8) {
      place(quarters[i], window_key, sample.pixels());
    } else {
      place(quarters[i], window_key, sample.values());
    }
  }
  object_tensor::add({boxes_, classes_, {}, image_id, height, width}, sample);
  sample.geometry = whole_picture(image);
}

template <class T>
void MosaicMaker::place(const Quarter& quarter, uint64_t key, T* image) {
  const Shape shape = dataset_.image_shape();
  Random random(key);
  const auto share = [](int64_t a, int64_t b) {
    return static_cast<double>(a) / static_cast<double>(b);
  };
  const double least =
      std::max({least_scale, share(quarter.width, shape[2]), share(quarter.height, shape[1])});
  const double scale = between(random, least, 1);
  const auto window = [&](int64_t length, int64_t whole) {
    const double room = static_cast<double>(whole) - static_cast<double>(length) / scale;
    return Window{std::max(0.0, room) * random.uniform(), scale};
  };
  const Window across = window(quarter.width, shape[2]), down = window(quarter.height, shape[1]);
  resample(reinterpret_cast<const T*>(memory_.data()), shape, across, down, quarter.width,
           quarter.height, image + quarter.y * shape[2] + quarter.x);
  const auto sides = part_.get<float>(object_tensor::boxes);
  const auto classes = part_.get<int32_t>(object_tensor::classes);
  for (size_t i = 0; i < classes.size(); ++i) {
    const Range h = range_of(part_.geometry.x, sides[4 * i + 1], sides[4 * i + 3], across);
    const Range v = range_of(part_.geometry.y, sides[4 * i], sides[4 * i + 2], down);
    if (!has_centre(h, quarter.width) || !has_centre(v, quarter.height)) continue;
    const Range px = placed(h, quarter.x, quarter.width, shape[2]);
    const Range py = placed(v, quarter.y, quarter.height, shape[1]);
    boxes_.push_back({static_cast<float>(py.low), static_cast<float>(px.low),
                      static_cast<float>(py.high), static_cast<float>(px.high)});
    classes_.push_back(classes[i]);
  }
}

}  // namespace convoy
