// NumPy's .npy files: one array. Only what `numpy.save` writes of floats (f4) and bytes (u1), rows
// in C order; anything else is refused and named.
#pragma once

#include <string>

#include "base/file.h"
#include "tensor/shape.h"

namespace convoy {

struct NpyArray {
  DType dtype = DType::f32;  // f32 or u8
  Shape shape;
  std::string bytes;  // row-major, little-endian
};

// Any defect is `fault` and one line that names the file.
NpyArray read_npy(const fs::path& path, Fault fault);
NpyArray parse_npy(std::string content, const std::string& origin, Fault fault);

}  // namespace convoy
