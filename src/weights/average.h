// The average of several files of weights, tensor by tensor, in double. One file at a time is in
// memory beside the sums.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weights/safetensors.h"

namespace convoy {

class WeightsAverage {
 public:
  // Without a decay the mean: the sum in the order of the files, divided at the end. With one,
  // V = the first file, then V <- decay V + (1 - decay) file.
  explicit WeightsAverage(std::optional<double> decay) : decay_(decay) {}

  // The next file. All must have the same tensors of the same shapes, else Fault::checkpoint naming
  // file and tensor. Whole numbers (num_batches_tracked) and the types of the others are those of
  // the last file. Keeps nothing of the file.
  void add(const SafetensorsFile& file);

  int files() const { return files_; }

  // The average, to be written; only once, and only after a file: the sums are given up on the way.
  // Borrows from this object.
  std::vector<TensorEntry> result();

 private:
  struct Sum {
    DType dtype = DType::f32;
    Shape shape;
    std::vector<double> values;    // of a floating type
    std::vector<std::byte> bytes;  // of whole numbers; of the others in the result
  };

  void check(const SafetensorsFile& file) const;

  std::optional<double> decay_;
  int files_ = 0;
  std::string first_;  // where the first file came from
  std::map<std::string, Sum, std::less<>> sums_;
};

}  // namespace convoy
