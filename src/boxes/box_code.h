// The code of a box relative to a default box: what an SSD network predicts in place of corners.
//
//   ty = 10 (cy - cy_d) / h_d      th = 5 log(h / h_d)
//   tx = 10 (cx - cx_d) / w_d      tw = 5 log(w / w_d)
#pragma once

#include <cmath>

#include "boxes/box.h"
#include "boxes/default_boxes.h"

namespace convoy {

struct BoxCode {
  float ty, tx, th, tw;
};

inline constexpr float centre_scale = 10, size_scale = 5;

// Finite for every finite box: a small number is added to all four sizes.
inline BoxCode encode(const Box& box, const CentredBox& by) {
  constexpr float epsilon = 1e-8f;
  const float height = box.ymax - box.ymin, width = box.xmax - box.xmin;
  const float cy = box.ymin + height / 2, cx = box.xmin + width / 2;
  const float h = by.h + epsilon, w = by.w + epsilon;
  return {.ty = centre_scale * ((cy - by.cy) / h),
          .tx = centre_scale * ((cx - by.cx) / w),
          .th = size_scale * std::log((height + epsilon) / h),
          .tw = size_scale * std::log((width + epsilon) / w)};
}

}  // namespace convoy
