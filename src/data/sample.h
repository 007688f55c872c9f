// One sample as a dataset gives it: an image, named tensors (its label; any number of boxes), and
// the mapping from the picture to the image, by which objects of the picture are found in the
// image. A loader reads one sample after another into the same `Sample`, which allocates only to
// grow.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "tensor/number_types.h"
#include "tensor/shape.h"

namespace convoy {

// Maps the picture to the image. A point at fraction `p` (0 to 1) of the width of the picture, as
// rotated by its EXIF data, is at column shift + scale * p of the image; rows likewise. A mirrored
// axis has a negative scale.
struct Geometry {
  struct Axis {
    double scale = 1, shift = 0;
    double at(double part) const { return shift + scale * part; }
  };
  Axis x, y;
};

// The geometry of an image that is the whole picture.
inline Geometry whole_picture(const Shape& image) {
  return {{static_cast<double>(image[2])}, {static_cast<double>(image[1])}};
}

struct SampleTensor {
  std::string name;
  TensorType type;
  std::vector<std::byte> bytes;
};

class Sample {
 public:
  // Starts a new sample, without tensors. The caller writes its image to `memory`, [c, h, w]:
  // bytes, or floats of 0..255 if that is the dataset's `image_type`.
  void begin(void* memory, DType image_type) {
    expect(image_type == DType::u8 || image_type == DType::f32, "images of bytes or floats");
    image_ = memory;
    image_type_ = image_type;
    used_ = 0;
    geometry = {};
  }
  void begin(uint8_t* pixels) { begin(pixels, DType::u8); }

  DType image_type() const { return image_type_; }
  uint8_t* pixels() const { return image<uint8_t>(); }
  float* values() const { return image<float>(); }

  // Adds a tensor under a new name; the caller fills it.
  template <class T>
  std::span<T> add(std::string_view name, const Shape& shape) {
    return {reinterpret_cast<T*>(add(name, {shape, dtype_of<T>})),
            static_cast<size_t>(shape.count())};
  }
  void add_zeros(std::string_view name, const TensorType& type);
  void add_label(int32_t label) { add<int32_t>("label", {})[0] = label; }

  // Null if it has no tensor of this name.
  const SampleTensor* find(std::string_view name) const;
  // The elements of a tensor that must exist.
  template <class T>
  std::span<const T> get(std::string_view name) const {
    const SampleTensor* tensor = find(name);
    expect(tensor && tensor->type.dtype == dtype_of<T>, "no such tensor in the sample");
    return {reinterpret_cast<const T*>(tensor->bytes.data()),
            static_cast<size_t>(tensor->type.shape.count())};
  }
  // The same, writable.
  template <class T>
  std::span<T> get(std::string_view name) {
    const std::span<const T> tensor = std::as_const(*this).get<T>(name);
    return {const_cast<T*>(tensor.data()), tensor.size()};
  }

  Geometry geometry;

 private:
  template <class T>
  T* image() const {
    expect(image_type_ == dtype_of<T>, "an image of another type");
    return static_cast<T*>(image_);
  }
  std::byte* add(std::string_view name, const TensorType& type);

  void* image_ = nullptr;
  DType image_type_ = DType::u8;
  std::vector<SampleTensor> tensors_;  // the first `used_` belong to this sample
  size_t used_ = 0;
};

// Names and types of tensors, of one sample or of a batch.
using TensorList = std::vector<std::pair<std::string, TensorType>>;

class Batch;

// How a task converts a sample into tensors of fixed shapes, as a batch needs them.
class SampleForm {
 public:
  virtual ~SampleForm() = default;
  virtual TensorList tensors() const = 0;  // of one sample
  // Writes the tensors, and perhaps the details, of sample `i` of the batch. A sample that could
  // not be read has only the tensors of `Dataset::tensors`, all zeros. Several threads may call it
  // at once, for different batches.
  virtual void write(const Sample& sample, Batch& batch, int64_t i) const = 0;
};

}  // namespace convoy
