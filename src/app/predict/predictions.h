// The most likely classes of pictures, and their output as text, as JSON lines, or as a tensor of
// all logits.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace convoy {

struct Guess {
  int64_t label = 0;
  double p = 0;  // softmax of the logits
};

// The `count` most likely classes, or all if there are fewer. Of equal logits the lower class comes
// first; NaN precedes all, as evaluation counts it (ops/loss/cross_entropy.h).
std::vector<Guess> likeliest(std::span<const float> logits, int64_t count);

struct Prediction {
  int64_t index = 0;  // of the picture, over all inputs
  std::string file;   // empty: unknown
  std::vector<Guess> top;
  std::optional<int64_t> label;  // the true class, if known
};

// For example "ship"; "class 8" without a name.
std::string class_name(const std::vector<std::string>& names, int64_t label);

// {"index": 0, "file": "a.jpg", "top": [{"class": 8, "name": "ship", "p": 0.9}], "label": 8} and a
// newline.
std::string json_line(const Prediction& prediction, const std::vector<std::string>& names);

// "     0  right  ship 90.0%, automobile 5.0%", or with the file's name in place of the number.
std::string text_line(const Prediction& prediction, const std::vector<std::string>& names);

}  // namespace convoy
