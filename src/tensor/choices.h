// The user's choices of kernels. They are part of the recipe: a choice changes rounding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text/words.h"

namespace convoy {

// Which Winograd algorithms may replace a direct convolution.
enum class Winograd : uint8_t { automatic, f2, off };
constexpr auto words_of(Winograd) { return words<Winograd>("auto", "f2", "off"); }

// How one pass of a convolution is computed (ops/conv/conv_algorithm.h). In order of preference: of
// two with equal estimates, the first is taken.
enum class ConvAlgorithm : uint8_t { direct, winograd_f2, winograd_f4 };

// The user's choice for some convolutions, a line of --algorithms.
struct AlgorithmRule {
  std::string pass;         // as ops/conv/conv_name.h writes it; * and ? match any text
  std::string convolution;  // as conv_name writes it, with * and ?
  ConvAlgorithm algorithm;
  std::string where;  // file and line of the rule: "tuned.txt:3"
};

struct Choices {
  Winograd winograd = Winograd::automatic;
  std::vector<AlgorithmRule> rules;  // the first matching rule is used; rules override `winograd`
};

}  // namespace convoy
