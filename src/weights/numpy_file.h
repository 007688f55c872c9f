// Reads numpy's files: .npy, one array after a small header; .npz, a zip archive of them. Arrays of
// Python objects contain pickles and are refused.
#pragma once

#include <string>

#include "weights/weight_data.h"

namespace convoy {

WeightData read_npz(SharedBytes bytes, const std::string& origin);
// `name`: the name of its one tensor.
WeightData read_npy(SharedBytes bytes, const std::string& origin, const std::string& name);

inline constexpr std::string_view npy_magic{"\x93NUMPY", 6};

}  // namespace convoy
