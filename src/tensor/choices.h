// What the user may decide about kernels. Part of the recipe: a choice changes roundings.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/text/words.h"

namespace convoy {

// Which of Winograd's filters may stand in for a direct convolution.
enum class Winograd : uint8_t { automatic, f2, off };
constexpr std::array<Word<Winograd>, 3> words_of(Winograd) {
  return {{{"auto", Winograd::automatic}, {"f2", Winograd::f2}, {"off", Winograd::off}}};
}

// How a pass of a convolution is computed (ops/conv/conv_algorithm.h). The order is that of
// preference: of two that are estimated alike, the first is taken.
enum class ConvAlgorithm : uint8_t { direct, winograd_f2, winograd_f4 };

// The user's word on some convolutions, a line of --algorithms.
struct AlgorithmRule {
  std::string pass;         // as ops/conv/conv_name.h writes it; * and ? stand for any text
  std::string convolution;  // likewise
  ConvAlgorithm algorithm;
  std::string where;  // it stands: "tuned.txt:3"
};

struct Choices {
  Winograd winograd = Winograd::automatic;
  std::vector<AlgorithmRule> rules;  // the first that fits counts, and goes before `winograd`
};

}  // namespace convoy
