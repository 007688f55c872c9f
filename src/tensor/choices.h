// What the user may decide about kernels. Part of the recipe: a choice changes roundings.
#pragma once

#include <cstdint>

namespace convoy {

// Which of Winograd's filters may stand in for a direct convolution.
enum class Winograd : uint8_t { automatic, f2, off };

struct Choices {
  Winograd winograd = Winograd::automatic;
};

}  // namespace convoy
