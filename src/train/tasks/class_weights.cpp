#include "train/tasks/class_weights.h"

#include <charconv>
#include <cmath>

#include "base/error.h"

namespace convoy {
namespace {

constexpr const char* balanced = "balanced";

float number_of(const std::string& text) {
  float value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value) || value < 0) {
    raise(Fault::usage, "--class-weights: '{}' is no weight; try: {}, or numbers as in 1,2.5,1",
          text, balanced);
  }
  return value;
}

// Weights with which every class contributes equally in total, and a sample weighs 1 on average.
std::vector<float> balance(const std::vector<int64_t>& counts, int64_t samples, size_t classes) {
  int64_t present = 0;
  for (const int64_t count : counts) present += count > 0;
  std::vector<float> weights(classes, 0.0f);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    weights[i] =
        static_cast<float>(static_cast<double>(samples) / static_cast<double>(present * counts[i]));
  }
  return weights;
}

}  // namespace

void ClassWeighting::describe(Fields& field) {
  field("class-weights", asked,
        "the loss of a sample is multiplied by its class's weight: a number for each class, or "
        "balanced: samples / (classes * samples of the class). In training alone");
  if (asked.size() == 1 && asked[0] == balanced) return;
  for (const std::string& text : asked) number_of(text);
}

ops::ClassWeights ClassWeighting::of(const Dataset& train_set, int classes) const {
  if (asked.empty()) return nullptr;
  const auto count = static_cast<size_t>(classes);
  if (asked[0] == balanced) {
    const std::vector<int64_t> counts = train_set.class_counts();
    if (counts.empty()) {
      raise(Fault::usage,
            "--class-weights balanced: these files do not list their classes, and reading all of "
            "them would take long; try: a number for each of the {} classes",
            classes);
    }
    return std::make_shared<const std::vector<float>>(balance(counts, train_set.size(), count));
  }
  if (asked.size() != count) {
    raise(Fault::usage, "--class-weights has {} numbers, but there are {} classes; try: {}",
          asked.size(), classes, balanced);
  }
  std::vector<float> weights;
  for (const std::string& text : asked) weights.push_back(number_of(text));
  return std::make_shared<const std::vector<float>>(std::move(weights));
}

}  // namespace convoy
