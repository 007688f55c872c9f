#include "app/export/verify_export.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/random.h"

namespace convoy {
namespace {

// Whether the largest value is at the same index; also updates the differences.
bool count_row(std::span<const float> wanted, std::span<const float> got, Agreement& sum) {
  double scale = 0, worst = 0;
  for (size_t k = 0; k < wanted.size(); ++k) {
    const double difference = std::abs(static_cast<double>(got[k]) - wanted[k]);
    scale = std::max(scale, std::abs(static_cast<double>(wanted[k])));
    // NaN is an infinite difference.
    worst = std::isfinite(difference) ? std::max(worst, difference)
                                      : std::numeric_limits<double>::infinity();
  }
  sum.absolute = std::max(sum.absolute, worst);
  if (worst > 0) sum.relative = std::max(sum.relative, worst / std::max(scale, 1e-30));
  const auto top = [](std::span<const float> row) {
    return std::max_element(row.begin(), row.end()) - row.begin();
  };
  return top(wanted) == top(got);
}

}  // namespace

ImageSource noise_images(int64_t floats) {
  return [floats](int64_t i, float* image) {
    Random random(random_key(1, Purpose::generated, static_cast<uint64_t>(i)));
    for (int64_t p = 0; p < floats; ++p) image[p] = static_cast<float>(random.normal());
  };
}

Agreement compare(GraphRun& network, GraphRun& exported, const std::vector<std::string>& outputs,
                  int64_t batch, int64_t floats, int64_t images, const ImageSource& source) {
  Agreement sum;
  std::vector<float> pixels(static_cast<size_t>(batch * floats));
  for (int64_t first = 0; first < images; first += batch) {
    const int64_t count = std::min(batch, images - first);
    std::fill(pixels.begin(), pixels.end(), 0.0f);
    for (int64_t i = 0; i < count; ++i) source(first + i, pixels.data() + i * floats);
    network.run(pixels.data());
    exported.run(pixels.data());
    std::vector<bool> same(static_cast<size_t>(count), true);
    for (const std::string& output : outputs) {
      const std::span<const float> wanted = network.output(output), got = exported.output(output);
      expect(wanted.size() == got.size(), "both have the same outputs");
      const size_t each = wanted.size() / static_cast<size_t>(batch);
      for (size_t i = 0; i < same.size(); ++i) {
        same[i] =
            count_row(wanted.subspan(i * each, each), got.subspan(i * each, each), sum) && same[i];
      }
    }
    sum.same_top1 += std::ranges::count(same, true);
    sum.images += count;
  }
  return sum;
}

}  // namespace convoy
