// Draws the mixing partners of each image, for a micro-batch of one replica. The result does not
// depend on the rank that runs it.

#include <algorithm>
#include <array>

#include "base/beta.h"
#include "base/error.h"
#include "data/mixing/mixing.h"

namespace convoy {
namespace {

// The label with the largest total weight; of equal ones the lower label.
int32_t heaviest(const int32_t* labels, const int32_t* source, const float* weight) {
  int32_t best = -1;
  double most = -1;
  for (int i = 0; i < 4; ++i) {
    const int32_t label = labels[source[i]];
    double sum = 0;
    for (int j = 0; j < 4; ++j) {
      if (labels[source[j]] == label) sum += static_cast<double>(weight[j]);
    }
    if (sum > most || (sum == most && label < best)) {
      best = label;
      most = sum;
    }
  }
  return best;
}

}  // namespace

void Mixing::draw(uint64_t key, int64_t n, const Shape& image, const int32_t* labels,
                  const MixRows& rows) const {
  expect(n > 0 && on(), "something to mix");
  Random random(key);
  // With both alphas torchvision chooses one per micro-batch. Graphcore's cutmix (cuts_all) is
  // drawn in addition to mixup.
  const bool chooses = mixup_alpha > 0 && cutmix_alpha > 0;
  const bool cuts_instead = cutmix_alpha > 0 && (!chooses || random.below(2) == 1);
  const bool mixes = mixup_alpha > 0 && !cuts_instead;

  const double common = mixes && !per_sample() ? draw_beta(random, mixup_alpha) : 1;
  for (int64_t i = 0; i < n; ++i) {
    double share = common;
    if (mixes && per_sample()) {
      share = draw_beta(random, mixup_alpha);
      if (!reversed()) share = std::max(share, 1 - share);
    }
    rows.share[i * 4] = static_cast<float>(share);
    rows.share[i * 4 + 1] = static_cast<float>(1 - share);
  }

  MixBox box;
  const int64_t height = image[1], width = image[2];
  if (cuts_instead) {
    const double lambda = draw_beta(random, cutmix_alpha), x = random.uniform();
    box = clipped_box(lambda, x, random.uniform(), height, width);
  } else if (cuts_all()) {
    double lambda = cutmix_lambda;
    if (cutmix_version == 1) {
      const double u0 = random.uniform();
      lambda = drawn_cutmix_lambda(cutmix_lambda, u0, random.uniform());
    }
    const double x = random.uniform();
    box = inner_box(lambda, x, random.uniform(), height, width);
  }
  if (n == 1) box = {};

  const auto before = [n](int64_t i, int64_t by) { return (i + n - by) % n; };
  const auto partner = [&](int64_t i) { return reversed() ? n - 1 - i : before(i, 1); };
  for (int64_t i = 0; i < n; ++i) {
    float* share = rows.share + i * 4;
    if (partner(i) != i) continue;  // an image that is mixed with itself is not changed
    share[0] = 1;
    share[1] = 0;
  }
  const double kept = box.kept(height * width);
  // With mixup the box must not come from the image that was mixed in.
  const int64_t step = cuts_all() && n > 2 ? 2 : 1;
  for (int64_t i = 0; i < n; ++i) {
    int32_t* source = rows.source + i * 4;
    float *share = rows.share + i * 4, *weight = rows.weight + i * 4;
    const int64_t inside = kept < 1 ? before(i, step) : i;
    const std::array all{i, partner(i), inside, partner(inside)};
    std::transform(all.begin(), all.end(), source,
                   [](int64_t s) { return static_cast<int32_t>(s); });
    share[2] = rows.share[inside * 4];
    share[3] = rows.share[inside * 4 + 1];
    for (int j = 0; j < 4; ++j) {
      weight[j] = static_cast<float>(static_cast<double>(share[j]) * (j < 2 ? kept : 1 - kept));
    }
    const std::array sides{box.left, box.top, box.right, box.bottom};
    std::ranges::copy(sides, rows.box + i * 4);
    rows.label[i] = counts_own_label() ? labels[i] : heaviest(labels, source, weight);
  }
}

}  // namespace convoy
