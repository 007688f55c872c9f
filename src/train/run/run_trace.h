// The options that say which steps of a run are traced (train/trace.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"

namespace convoy {

struct RunTrace {
  int64_t trace_steps = 0;
  std::vector<double> profile{0, 0}, profile_steps{7, 10};
  std::vector<std::string> hooks;

  void describe(Fields& field);

  // Numbers of steps, counted from 1, both included.
  struct Range {
    int64_t first = 0, last = 0;
    bool has(int64_t step) const { return step >= first && step <= last; }
  };
  // Of a process that has `done` steps before it; nothing: no step is traced.
  std::optional<Range> range(int64_t done) const;

 private:
  bool by_number_ = false;  // --profile-steps counts
};

}  // namespace convoy
