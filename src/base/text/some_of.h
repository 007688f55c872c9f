// Shortens long lists in messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace convoy {

// "a, b, c and 12 more": the first `most` of them, and how many more there are.
std::string some_of(const std::vector<std::string>& names, size_t most);

}  // namespace convoy
