// A dataset in memory, for small sets: pixels and labels.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "data/dataset.h"

namespace convoy {

class MemoryDataset final : public Dataset {
 public:
  // `pixels`: labels.size() images one after another. The reader must have checked the labels.
  MemoryDataset(Shape image, std::vector<std::string> names, std::vector<uint8_t> pixels,
                std::vector<uint8_t> labels)
      : image_(image),
        names_(std::move(names)),
        pixels_(std::move(pixels)),
        labels_(std::move(labels)) {}

  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
  Shape image_shape() const override { return image_; }
  int classes() const override { return static_cast<int>(names_.size()); }
  std::vector<std::string> class_names() const override { return names_; }

  int64_t resident_bytes() const override {
    return static_cast<int64_t>(pixels_.size() + labels_.size());
  }

  std::vector<int64_t> class_counts() const override {
    std::vector<int64_t> counts(names_.size());
    for (const uint8_t label : labels_) ++counts[label];
    return counts;
  }

  void read(int64_t index, uint64_t, Sample& sample) const override {
    std::copy_n(pixels_.begin() + index * image_.count(), image_.count(), sample.pixels());
    sample.geometry = whole_picture(image_);
    sample.add_label(labels_[static_cast<size_t>(index)]);
  }

 private:
  Shape image_;
  std::vector<std::string> names_;
  std::vector<uint8_t> pixels_;
  std::vector<uint8_t> labels_;
};

}  // namespace convoy
