// What an evaluation found for one sample of a classifier, for pictures of mistakes, confusion
// matrices and curves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy {

struct SampleResult {
  int64_t index = 0;  // in the evaluation set
  int32_t truth = 0, predicted = 0;
  double confidence = 0;  // probability of the predicted class
  double loss = 0;

  bool is_right() const { return truth == predicted; }
  bool operator==(const SampleResult&) const = default;
};

struct SampleResults {
  std::vector<SampleResult> all;     // in the order of samples
  std::vector<std::string> classes;  // their names
};

}  // namespace convoy
