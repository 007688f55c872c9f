// Pictures given as a tensor in a file of any format of weights/: f32 [n, c, h, w], used as network
// input unchanged, or bytes [n, c, h, w] or [n, h, w, c], which get the weights' preprocessing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "data/dataset.h"

namespace convoy {

struct ImageTensor {
  std::string origin;
  DType dtype = DType::f32;     // f32 or u8
  Shape shape;                  // of 4 dimensions
  std::vector<std::byte> data;  // row-major
  std::vector<int32_t> labels;  // one per image; empty: none
  bool channels_last = false;   // only for u8

  int64_t size() const { return shape[0]; }
  Shape image() const {  // [c, h, w]
    return channels_last ? Shape{shape[3], shape[1], shape[2]}
                         : Shape{shape[1], shape[2], shape[3]};
  }
};

// Reads a file with one tensor of 4 dimensions, or with several of which one is named image or
// images; a tensor named label or labels is read too. Any defect is Fault::data.
ImageTensor read_images(const fs::path& path);

// Determines the order of dimensions. `image` is what the weights expect ([c, h, w]); if unknown,
// `channels` decides. A tensor that does not fit is Fault::data.
void settle_layout(ImageTensor& tensor, const std::optional<Shape>& image, int64_t channels);

// A byte tensor as a dataset; borrows it.
class ImageTensorDataset final : public Dataset {
 public:
  ImageTensorDataset(const ImageTensor& tensor, int classes) : tensor_(tensor), classes_(classes) {}

  int64_t size() const override { return tensor_.size(); }
  Shape image_shape() const override { return tensor_.image(); }
  int classes() const override { return classes_; }
  std::vector<std::string> class_names() const override {
    return std::vector<std::string>(static_cast<size_t>(classes_));
  }
  void read(int64_t index, uint64_t, Sample& sample) const override;

 private:
  const ImageTensor& tensor_;
  int classes_;
};

}  // namespace convoy
