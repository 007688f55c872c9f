// Reads TensorBoard's event files: what a run wrote, in the order of its files and records.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"

namespace convoy::test {

// A value of a summary.
struct SeenValue {
  int64_t step = 0;
  std::string tag, kind;  // "scalar", "picture", "histogram", "text", "pr_curves", "hparams"
  double number = 0;      // of a scalar; of a histogram how many values
  std::string content;    // PNG, text or what the plugin gets
  std::vector<float> floats;
  bool has_tensor = false;  // TensorBoard lists no value of a plugin without one
};

struct SeenEvents {
  std::vector<std::string> files;  // names
  std::vector<SeenValue> values;
  std::vector<int64_t> session_starts;  // steps

  // step -> number of the scalars of a tag; a step twice is a failed test.
  std::map<int64_t, double> line(std::string_view tag) const;
  const SeenValue& only(std::string_view tag) const;
  bool has(std::string_view tag) const;
};

// A file that is not sound is a failed test.
SeenEvents events_in(const fs::path& folder);

}  // namespace convoy::test
