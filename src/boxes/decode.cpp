#include "boxes/decode.h"

#include <cmath>

#include "kernels/exponentials.h"

namespace convoy {
namespace {

// A difference of logits between the best object and the background below which no score of a box
// can exceed `min_score`, with a reserve for rounding. It spares most boxes their exponentials.
float hopeless_below(float min_score) {
  const double score = 0.99 * static_cast<double>(min_score);
  return static_cast<float>(std::log(score / (1 - score)));
}

}  // namespace

Box decode(const CentredBox& from, const float* code) {
  const float cy = code[0] / centre_code_scale * from.h + from.cy;
  const float cx = code[1] / centre_code_scale * from.w + from.cx;
  const float h = std::exp(code[2] / size_code_scale) * from.h;
  const float w = std::exp(code[3] / size_code_scale) * from.w;
  return {cy - h / 2, cx - w / 2, cy + h / 2, cx + w / 2};
}

void find_candidates(const float* logits, int64_t classes, int64_t begin, int64_t end,
                     float min_score, std::vector<Candidate>& into) {
  const float hopeless = hopeless_below(min_score);
  std::vector<float> powers(static_cast<size_t>(classes));
  for (int64_t box = begin; box < end; ++box) {
    const float* row = logits + box * classes;
    float best = row[1];
    for (int64_t k = 2; k < classes; ++k) best = row[k] > best ? row[k] : best;
    if (best - row[0] < hopeless) continue;
    const float top = std::max(best, row[0]);
    const float scale = 1 / kernels::exponentials(row, top, classes, powers.data());
    for (int64_t k = 1; k < classes; ++k) {
      const float score = powers[static_cast<size_t>(k)] * scale;
      if (score > min_score) {
        into.push_back({static_cast<int32_t>(box), static_cast<int32_t>(k), score});
      }
    }
  }
}

}  // namespace convoy
