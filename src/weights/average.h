// The average of several weights files, tensor by tensor, in double. Besides the sums, only one
// file at a time is in memory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weights/safetensors.h"

namespace convoy {

class WeightsAverage {
 public:
  // Without a decay: the mean; files are summed in their order and divided at the end. With a
  // decay: V = first file, then V <- decay V + (1 - decay) file for each further file.
  explicit WeightsAverage(std::optional<double> decay) : decay_(decay) {}

  // Adds the next file and keeps no reference to it. All files must have the same tensors with the
  // same shapes, otherwise Fault::checkpoint names file and tensor. Integer tensors
  // (num_batches_tracked) and element types are taken from the last file.
  void add(const SafetensorsFile& file);

  int files() const { return files_; }

  // The average, ready to be written. Call it once, after at least one `add`: it frees the sums as
  // it goes. The entries borrow from this object.
  std::vector<TensorEntry> result();

 private:
  struct Sum {
    DType dtype = DType::f32;
    Shape shape;
    std::vector<double> values;    // if floating point
    std::vector<std::byte> bytes;  // if integers; else filled in the result
  };

  void check(const SafetensorsFile& file) const;

  std::optional<double> decay_;
  int files_ = 0;
  std::string first_;  // the origin of the first file
  std::map<std::string, Sum, std::less<>> sums_;
};

}  // namespace convoy
