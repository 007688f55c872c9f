// The outputs of a detection network as numbers about objects: logits to scores, codes to boxes.
#pragma once

#include <cstdint>
#include <vector>

#include "boxes/default_boxes.h"

namespace convoy {

// A box is coded relative to a default box: its centre as an offset in units of the default box's
// sides, times the first factor; its sides as the logarithm of their ratio, times the second.
inline constexpr float centre_code_scale = 10, size_code_scale = 5;

// The corners of the box with the code (ty, tx, th, tw). They may lie outside of the image, and for
// the codes of a diverged network they may not be finite.
Box decode(const CentredBox& from, const float* code);

// A default box that may show an object of a class.
struct Candidate {
  int32_t box;    // its number
  int32_t label;  // from 1
  float score;    // softmax over all classes, of which 0 is the background
};

// Appends, in the order of boxes and classes, all candidates with a score above `min_score` among
// the default boxes [begin, end). `logits`: [boxes, classes] of one image. A box with a logit that
// is not a number is never a candidate.
void find_candidates(const float* logits, int64_t classes, int64_t begin, int64_t end,
                     float min_score, std::vector<Candidate>& into);

}  // namespace convoy
