// What a network says about pictures: the likeliest classes, and where it goes: to the screen, as
// JSON lines, or all logits as a tensor.
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

// The `count` likeliest classes, or all when there are fewer. Of equal logits the lower class comes
// first and a NaN before all, as evaluation counts (ops/loss/cross_entropy.h).
std::vector<Guess> likeliest(std::span<const float> logits, int64_t count);

struct Prediction {
  int64_t index = 0;  // of the picture, over all that was given
  std::string file;   // where it comes from; empty: nobody knows
  std::vector<Guess> top;
  std::optional<int64_t> label;  // the true class, where it is known
};

// "ship"; "class 8" where there is no name.
std::string class_name(const std::vector<std::string>& names, int64_t label);

// {"index": 0, "file": "a.jpg", "top": [{"class": 8, "name": "ship", "p": 0.9}], "label": 8} and a
// newline.
std::string json_line(const Prediction& prediction, const std::vector<std::string>& names);

// "     0  right  ship 90.0%, automobile 5.0%", or with the file's name instead of the
// number.
std::string text_line(const Prediction& prediction, const std::vector<std::string>& names);

}  // namespace convoy
