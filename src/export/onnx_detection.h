// The last part of a detector's ONNX file: from logits and box codes to boxes with scores, as
// boxes/detector.h computes them, in nodes of the standard operator set.
#pragma once

#include "boxes/detector.h"
#include "export/onnx_model.h"

namespace convoy {

// `model`: a network with the outputs `class_logits` [n, boxes, classes] and `box_codes` [n, boxes,
// 4], which are replaced by
//
//   boxes  f32 [n, boxes, 4]: ymin, xmin, ymax, xmax as fractions of the image, not clipped
//   scores f32 [n, boxes, classes]: softmax, with the background as class 0
//
// and with `detector` by the objects found, the best first, k = its image_detections:
//
//   boxes   f32 [n, k, 4]
//   scores  f32 [n, k]
//   classes s64 [n, k]: from 1
//   counts  s64 [n]: how many there are in each image; rows behind them are zeros
//
// These differ from Detector's in two rare cases: boxes without an area do not exclude each other,
// and of a class all default boxes with the score of the last candidate are candidates.
void add_detection(OnnxModel& model, const DefaultBoxes& boxes, const DetectorOptions* detector);

// Takes all of it away again: the outputs are the two of the network.
void remove_detection(OnnxModel& model);

}  // namespace convoy
