// Finds the objects of images in the outputs of a detection network: scores, boxes, suppression per
// class, and the best of all classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/threads/thread_pool.h"
#include "boxes/decode.h"
#include "boxes/nms.h"
#include "tensor/kernel.h"

namespace convoy {

struct DetectorOptions {
  float min_score = 0.05f;         // only scores above it
  float max_overlap = 0.5f;        // of two boxes of a class; see `suppress`
  int64_t class_candidates = 200;  // of each class, the best default boxes before suppression
  int64_t image_detections = 200;  // of an image, the best after suppression
};

class Detector {
 public:
  // `classes` includes the background, which is class 0.
  Detector(const DefaultBoxes& boxes, int64_t classes, const DetectorOptions& options = {});

  // The detections of each image, the best first, valid until the next call. `logits`: [images,
  // boxes, classes]; `codes`: [images, boxes, 4] (boxes/decode.h). Of equal scores the lower class
  // comes first, then the lower default box. A box whose corners are not finite is left out. The
  // result depends neither on the threads nor on the other images.
  std::span<const std::vector<Detection>> detect(const float* logits, const float* codes,
                                                 int64_t images, ThreadPool& pool);

 private:
  // Divides the candidates of an image by their classes.
  void sort_by_class(int64_t image);
  // The detections of one class in one image.
  void detect_class(const float* codes, int64_t image, int32_t label);
  void merge(int64_t image);

  std::vector<CentredBox> boxes_;
  Chunks pieces_;  // of the default boxes: one task each
  int64_t classes_;
  DetectorOptions options_;
  std::vector<std::vector<Candidate>> candidates_;  // by image and piece
  std::vector<std::vector<Candidate>> of_class_;    // by image and class
  std::vector<std::vector<Detection>> kept_;        // by image and class
  std::vector<std::vector<Detection>> found_;       // by image
};

}  // namespace convoy
