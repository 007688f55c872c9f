// Pictures of a detector's set as the network sees them, before normalisation, with their objects
// drawn as they are and as they were found.
#pragma once

#include <unordered_map>

#include "data/dataset.h"
#include "pictures/picture.h"
#include "train/tasks/object_results.h"

namespace convoy {

// Detections with less are not drawn.
inline constexpr double least_drawn_score = 0.25;

class SeenObjects {
 public:
  // Keeps both. `data` is what was evaluated.
  SeenObjects(const ObjectResults& results, const Dataset& data);

  int classes() const { return static_cast<int>(results_.classes.size()); }
  // The results of the sample. Null: it could not be read, so it was not evaluated.
  const ScoredPicture* open(int64_t index);

  // Of the sample opened last.
  Pixels with_truths(const ScoredPicture& picture) const;
  Pixels with_found(const ScoredPicture& picture) const;

 private:
  Pixels pixels() const;
  uint8_t value(int64_t at) const;

  const ObjectResults& results_;
  const Dataset& data_;
  std::vector<std::byte> memory_;
  Sample sample_;
  std::unordered_map<int64_t, const ScoredPicture*> of_image_;
};

}  // namespace convoy
