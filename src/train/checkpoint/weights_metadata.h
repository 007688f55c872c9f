// What a weights file says about itself, so that eval, predict and export need no flags: the keys
// are in docs/formats/weights.md. Times and places are no part of it: equal runs give equal files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/run/run_setup.h"
#include "weights/safetensors.h"

namespace convoy {

// Which weights of a run they are.
struct WeightsMoment {
  int64_t step = 0;
  double epoch = 0;              // epochs of data seen
  bool average = false;          // the moving average
  std::optional<Metric> metric;  // the main one, where they were evaluated
};

Metadata weights_metadata(const RunSetup& setup, const WeightsMoment& moment);

// Read back. Empty: the file, which is called `origin`, does not say. What is said in a wrong form
// is Fault::checkpoint.
std::vector<std::string> told_class_names(const Metadata& about, const std::string& origin);
std::optional<Shape> told_image(const Metadata& about, const std::string& origin);  // [c, h, w]

// Also used by who makes weights of weights.
namespace weights_key {
inline constexpr const char* image = "convoy.image";
inline constexpr const char* class_names = "convoy.class-names";
inline constexpr const char* kind = "convoy.weights";
inline constexpr const char* step = "convoy.step";
inline constexpr const char* epoch = "convoy.epoch";
inline constexpr const char* metric = "convoy.";  // a prefix: the metric's name follows
inline constexpr const char* average = "convoy.average";
inline constexpr const char* option = "convoy.option.";  // a prefix
}  // namespace weights_key

}  // namespace convoy
