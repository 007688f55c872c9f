#include "train/step/value_scan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernels/cast.h"
#include "kernels/sums.h"
#include "tensor/isa.h"

namespace convoy {
namespace {

constexpr int64_t piece = 1024;  // elements that are widened at once
constexpr int64_t task_size = 1 << 16;

class Scanner {
 public:
  Scanner(const TensorType& type, const std::byte* data) : type_(type), data_(data) {
    if (type.layout != Layout::blocked || type.shape[1] % channel_block() == 0) return;
    block_ = channel_block();
    plane_ = type.shape[2] * type.shape[3];
  }

  ValueRange range(int64_t begin, int64_t end) const {
    ValueRange range;
    float least = std::numeric_limits<float>::infinity(), most = -least;
    std::array<float, piece> buffer;
    for (int64_t at = begin; at < end; at += piece) {
      const int64_t count = std::min(piece, end - at);
      const float* x = widened(at, count, buffer.data());
      if (block_ == 0 && kernels::all_finite(x, count)) {
        for (int64_t i = 0; i < count; ++i) {
          least = std::min(least, x[i]);
          most = std::max(most, x[i]);
        }
        range.count += count;
        continue;
      }
      for (int64_t i = 0; i < count; ++i) {
        if (is_padding(at + i)) continue;
        ++range.count;
        if (std::isfinite(x[i])) {
          least = std::min(least, x[i]);
          most = std::max(most, x[i]);
        } else if (range.others++ == 0) {
          range.first_other = at + i;
          range.first_is_nan = std::isnan(x[i]);
        }
      }
    }
    if (least <= most) {
      range.low = static_cast<double>(least);
      range.high = static_cast<double>(most);
    }
    return range;
  }

 private:
  const float* widened(int64_t at, int64_t count, float* buffer) const {
    const std::byte* from = data_ + static_cast<size_t>(at) * bytes_per_element(type_.dtype);
    if (type_.dtype == DType::f32) return reinterpret_cast<const float*>(from);
    const auto* bits = reinterpret_cast<const uint16_t*>(from);
    if (type_.dtype == DType::bf16) {
      kernels::bf16_to_f32(bits, buffer, count);
    } else {
      kernels::f16_to_f32(bits, buffer, count);
    }
    return buffer;
  }

  bool is_padding(int64_t i) const {
    if (block_ == 0) return false;
    const int64_t blocks = divide_up(type_.shape[1], block_);
    const int64_t channel = i / (plane_ * block_) % blocks * block_ + i % block_;
    return channel >= type_.shape[1];
  }

  const TensorType& type_;
  const std::byte* data_;
  int64_t block_ = 0, plane_ = 0;  // of blocked layouts with padding
};

}  // namespace

bool is_scanned(DType type) {
  return type == DType::f32 || type == DType::bf16 || type == DType::f16;
}

ValueRange joined(const std::vector<ValueRange>& parts) {
  ValueRange all;
  for (const ValueRange& part : parts) {
    const bool has_low = part.count > part.others, had = all.count > all.others;
    if (has_low) {
      all.low = had ? std::min(all.low, part.low) : part.low;
      all.high = had ? std::max(all.high, part.high) : part.high;
    }
    if (all.others == 0 && part.others > 0) {
      all.first_other = part.first_other;
      all.first_is_nan = part.first_is_nan;
    }
    all.count += part.count;
    all.others += part.others;
  }
  return all;
}

std::vector<ValueRange> scan(const TensorType& type, const std::byte* data, int64_t parts,
                             ThreadPool& pool) {
  const int64_t each = stored_count(type) / parts;
  expect(each * parts == stored_count(type), "equal parts of a value");
  const int64_t tasks_of_part = std::max<int64_t>(1, divide_up(each, task_size));
  std::vector<ValueRange> pieces(static_cast<size_t>(parts * tasks_of_part));
  const Scanner scanner(type, data);
  pool.run(static_cast<int>(std::ssize(pieces)), [&](int task, int) {
    const int64_t part = task / tasks_of_part, at = task % tasks_of_part * task_size;
    pieces[static_cast<size_t>(task)] =
        scanner.range(part * each + at, part * each + std::min(each, at + task_size));
  });
  std::vector<ValueRange> ranges;
  for (int64_t part = 0; part < parts; ++part) {
    const auto first = pieces.begin() + part * tasks_of_part;
    ranges.push_back(joined({first, first + tasks_of_part}));
  }
  return ranges;
}

}  // namespace convoy
