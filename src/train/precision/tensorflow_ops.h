// TensorFlow's names of ops, as in lists for other programs: which ops here they are about.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace convoy {

// The ops that compute what TensorFlow's op computes; empty: no network here has them, or they are
// computed in fp32 alone. Nothing: an unknown name.
std::optional<std::span<const std::string_view>> ops_of_tensorflow(std::string_view name);

// All names, for the nearest one.
std::vector<std::string_view> tensorflow_names();

}  // namespace convoy
