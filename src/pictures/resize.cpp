#include "pictures/resize.h"

#include <algorithm>
#include <cmath>

#include "kernels/pictures/resample.h"

namespace convoy {
namespace {

double triangle(double x) { return std::max(0.0, 1 - std::abs(x)); }

// Keys' cubic with a = -1/2.
double cubic(double x) {
  x = std::abs(x);
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
  if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return 0;
}

// The pixels within `support` of the centre of output i, scaled.
struct Window {
  int64_t begin, end;
  double centre, scale;
};
Window window_of(const ViewAxis& axis, int64_t i, double support, int64_t low, int64_t high) {
  const double scale = axis.length / static_cast<double>(axis.whole), wide = std::max(scale, 1.0);
  const double centre = axis.from + (static_cast<double>(i) + 0.5) * scale;
  const auto begin = static_cast<int64_t>(std::floor(centre - support * wide + 0.5));
  const auto end = static_cast<int64_t>(std::floor(centre + support * wide + 0.5));
  const int64_t from = std::clamp(begin, low, high - 1);
  return {from, std::clamp(end, from + 1, high), centre, wide};
}

// The position in the picture of pixel `at` of the whole image, computed in single precision from
// the box's fractions of the picture, as TensorFlow does.
float corner_aligned(const ViewAxis& axis, int64_t size, int64_t at) {
  const auto whole = static_cast<double>(size);
  const auto low = static_cast<float>(axis.from / whole),
             length = static_cast<float>(axis.length / whole);
  const auto last = static_cast<float>(size - 1);
  if (axis.whole == 1) return (low + length / 2) * last;
  const float step = length * last / static_cast<float>(axis.whole - 1);
  return low * last + static_cast<float>(at) * step;
}

}  // namespace

PictureView shrunk(const PictureView& view, int shrink) {
  PictureView small = view;
  for (ViewAxis* axis : {&small.x, &small.y}) {
    axis->from /= shrink;
    axis->length /= shrink;
  }
  return small;
}

void Resizer::Taps::plan(const ViewAxis& axis, int64_t size, Interpolation how) {
  // The picture is cropped to the box first: pixels outside it are never used. Corner-aligned, a
  // neighbour of the box may be.
  const bool is_cropped = how != Interpolation::corner_aligned;
  const int64_t low =
      is_cropped ? std::clamp<int64_t>(std::llround(std::floor(axis.from)), 0, size - 1) : 0;
  const int64_t high =
      is_cropped
          ? std::clamp<int64_t>(std::llround(std::ceil(axis.from + axis.length)), low + 1, size)
          : size;
  first.resize(static_cast<size_t>(axis.count));
  low_.clear();
  weight_.clear();
  low_.push_back(0);
  taps = 1;
  double nearest = 0;
  for (int64_t i = 0; i < axis.count; ++i) {
    const int64_t at = axis.first + i;
    int64_t from = 0;
    if (how == Interpolation::legacy_bilinear) {
      const float scale = static_cast<float>(axis.length) / static_cast<float>(axis.whole);
      const float in = static_cast<float>(at) * scale;
      const auto lower = static_cast<int64_t>(in);
      from = std::min(low + lower, high - 1);
      const double lerp =
          from + 1 < high ? static_cast<double>(in) - static_cast<double>(lower) : 0;
      weight_.push_back(1 - lerp);
      if (from + 1 < high) weight_.push_back(lerp);
    } else if (how == Interpolation::corner_aligned) {
      const float in = corner_aligned(axis, size, at);
      const bool is_inside = in >= 0 && in <= static_cast<float>(size - 1);
      from = is_inside ? static_cast<int64_t>(in) : 0;
      const double lerp = is_inside ? static_cast<double>(in) - static_cast<double>(from) : 0;
      weight_.push_back(is_inside ? 1 - lerp : 0);
      if (from + 1 < size) weight_.push_back(lerp);
    } else if (how == Interpolation::nearest) {
      // Accumulated as Pillow does: where a pixel ends exactly, rounding decides.
      const double scale = axis.length / static_cast<double>(axis.whole);
      if (i == 0) {
        nearest = axis.from - static_cast<double>(low) + scale * 0.5;
        for (int64_t skipped = 0; skipped < at; ++skipped) nearest += scale;
      }
      from = std::clamp(low + static_cast<int64_t>(nearest), low, high - 1);
      nearest += scale;
      weight_.push_back(1);
    } else {
      const bool is_cubic = how == Interpolation::bicubic;
      const Window window = window_of(axis, at, is_cubic ? 2 : 1, low, high);
      const auto before = weight_.size();
      double sum = 0;
      for (int64_t p = window.begin; p < window.end; ++p) {
        const double away = (static_cast<double>(p) + 0.5 - window.centre) / window.scale;
        weight_.push_back(is_cubic ? cubic(away) : triangle(away));
        sum += weight_.back();
      }
      // Weights in multiples of 2^-22, as in Pillow.
      for (size_t w = before; w < weight_.size(); ++w) {
        weight_[w] = std::round(weight_[w] / sum * 0x1p22) * 0x1p-22;
      }
      from = window.begin;
    }
    first[static_cast<size_t>(i)] = static_cast<int32_t>(from);
    low_.push_back(static_cast<int64_t>(weight_.size()));
    taps = std::max(taps, low_.back() - low_[static_cast<size_t>(i)]);
  }
  make_even(low, high);
}

void Resizer::Taps::make_even(int64_t low, int64_t high) {
  weights.assign(first.size() * static_cast<size_t>(taps), 0.0f);
  begin = high;
  end = low;
  for (size_t i = 0; i < first.size(); ++i) {
    const int64_t count = low_[i + 1] - low_[i];
    const int64_t shift = std::max<int64_t>(0, first[i] + taps - high);
    first[i] -= static_cast<int32_t>(shift);
    for (int64_t t = 0; t < count; ++t) {
      weights[static_cast<size_t>(static_cast<int64_t>(i) * taps + shift + t)] =
          static_cast<float>(weight_[static_cast<size_t>(low_[i] + t)]);
    }
    begin = std::min<int64_t>(begin, first[i]);
    end = std::max<int64_t>(end, first[i] + taps);
  }
}

const PixelRect& Resizer::plan(const PictureView& view, int64_t width, int64_t height,
                               Interpolation how) {
  x_.plan(view.x, width, how);
  y_.plan(view.y, height, how);
  needed_ = {x_.begin, y_.begin, x_.end - x_.begin, y_.end - y_.begin};
  for (int32_t& first : x_.first) first -= static_cast<int32_t>(x_.begin);
  rounds_ = how != Interpolation::legacy_bilinear && how != Interpolation::corner_aligned;
  scratch_.resize(static_cast<size_t>(needed_.width * kernels::resample_scratch));
  rows_.resize(static_cast<size_t>(y_.taps + kernels::resample_rows));
  taken_.resize(static_cast<size_t>(y_.taps));
  constexpr int64_t behind = 64;  // the kernel may read this far behind
  const int64_t row = view.x.count * 4;
  ring_.resize(rows_.size() * static_cast<size_t>(row) + behind);
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = ring_.data() + static_cast<int64_t>(i) * row;
  return needed_;
}

// Horizontal pass first, then vertical, as Pillow does: it rounds in between, so the order changes
// results. Rows for the second pass are kept in a ring, row y at y modulo its length.
template <class T>
void Resizer::make(const Pixels& pixels, T* image) {
  const auto rows = static_cast<int64_t>(y_.first.size()),
             count = static_cast<int64_t>(x_.first.size()), plane = rows * count;
  const auto ring = static_cast<int64_t>(rows_.size());
  const kernels::ColumnTaps columns{x_.first.data(), x_.weights.data(), x_.taps, count};
  const auto slot = [&](int64_t y) { return rows_[static_cast<size_t>(y % ring)]; };
  int64_t done = 0;  // all rows before this one went through the first pass
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t first = y_.first[static_cast<size_t>(i)], end = first + y_.taps;
    for (done = std::max(done, first); done < end;) {
      const int64_t some = std::min({kernels::resample_rows, y_.end - done, first + ring - done});
      float* out[kernels::resample_rows];
      for (int64_t r = 0; r < some; ++r) out[r] = slot(done + r);
      kernels::blend_pixels(pixels.at(needed_.x, done), pixels.region.width * 4, some,
                            needed_.width, columns, rounds_, scratch_.data(), out);
      done += some;
    }
    for (int64_t t = 0; t < y_.taps; ++t) taken_[static_cast<size_t>(t)] = slot(first + t);
    T* to = image + i * count;
    kernels::blend_rows(taken_.data(), y_.weights.data() + i * y_.taps, y_.taps, count, to,
                        to + plane, to + 2 * plane);
  }
}

template void Resizer::make(const Pixels&, uint8_t*);
template void Resizer::make(const Pixels&, float*);

}  // namespace convoy
