// Pictures that somebody brings as a tensor, in a file of any format of weights/: f32 [n, c, h, w]
// for the network as they are, or bytes [n, c, h, w] or [n, h, w, c] that go through the weights'
// own preprocessing.
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
  Shape shape;                  // of rank 4
  std::vector<std::byte> data;  // row-major
  std::vector<int32_t> labels;  // one each; empty: there are none
  bool channels_last = false;   // only of u8

  int64_t size() const { return shape[0]; }
  Shape image() const {  // [c, h, w]
    return channels_last ? Shape{shape[3], shape[1], shape[2]}
                         : Shape{shape[1], shape[2], shape[3]};
  }
};

// The file holds one tensor of rank 4, or several of which one is called image or
// images; label or labels beside it are taken too. Any defect is Fault::data.
ImageTensor read_images(const fs::path& path);

// Finds out which dimension is which. `image` is what the weights want ([c, h, w]); where they do
// not say, `channels` decides. What does not fit is Fault::data.
void settle_layout(ImageTensor& tensor, const std::optional<Shape>& image, int64_t channels);

// The bytes of a tensor as a dataset; borrows it.
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
