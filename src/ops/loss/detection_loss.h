// The loss of SSD (Liu 2016): softmax cross-entropy of matched default boxes and of the hardest
// background boxes, and the Huber loss of the codes of matched boxes.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

struct DetectionLossOptions {
  int64_t negatives = 3;  // background boxes per matched box
};

struct DetectionLoss {
  Value loss;      // [n], of each sample
  Value of_codes;  // [n], the part of it that is about codes; it has no gradient of its own
};

// logits [n, boxes, classes], codes [n, boxes, 4], the targets box_classes s32 [n, boxes] (0:
// background) and box_codes [n, boxes, 4] -> the loss of each sample.
//
// With m matched boxes (of a class that is not 0) the loss is the sum of
// - the cross-entropy of the matched boxes,
// - the cross-entropy of the first min(negatives * m, boxes) boxes in the order of falling
//   cross-entropy, in which matched boxes count as 0 and the lower index is first among equals (so
//   a matched box counts twice where background boxes run out),
// - the Huber loss of the matched boxes' codes: e^2 / 2 up to |e| = 1, then |e| - 1/2,
// divided by m; 0 if m is 0. The choice of boxes has no gradient. A class that does not exist is
// Fault::data.
DetectionLoss detection_loss(Builder& b, Value logits, Value codes, Value box_classes,
                             Value box_codes, const DetectionLossOptions& options = {});

}  // namespace convoy::ops
