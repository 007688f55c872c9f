// The metadata of a weights file, so that eval, predict and export need no flags;
// docs/formats/weights.md lists the keys. It contains no times and paths: equal runs give equal
// files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/run/run_setup.h"
#include "weights/safetensors.h"

namespace convoy {

// Which weights of a run these are.
struct WeightsMoment {
  int64_t step = 0;
  double epoch = 0;              // epochs of data seen
  bool average = false;          // the average, not the weights themselves
  std::optional<Metric> metric;  // the main metric, if evaluated
};

Metadata weights_metadata(const RunSetup& setup, const WeightsMoment& moment);

// Reads metadata back. Empty: the file, named `origin`, does not contain it. A malformed value is
// Fault::checkpoint.
std::vector<std::string> told_class_names(const Metadata& about, const std::string& origin);
std::optional<Shape> told_image(const Metadata& about, const std::string& origin);  // [c, h, w]

// These keys are also used by `average`, which makes a weights file from others.
namespace weights_key {
inline constexpr const char* image = "convoy.image";
inline constexpr const char* class_names = "convoy.class-names";
inline constexpr const char* kind = "convoy.weights";
inline constexpr const char* step = "convoy.step";
inline constexpr const char* epoch = "convoy.epoch";
inline constexpr const char* metric = "convoy.";  // prefix of a metric's name
inline constexpr const char* average = "convoy.average";
inline constexpr const char* option = "convoy.option.";  // prefix of an option's key
}  // namespace weights_key

}  // namespace convoy
