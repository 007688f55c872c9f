// A bar on standard error for somebody who waits and looks; where that is no terminal, nothing.
#pragma once

#include <cstdint>
#include <string>

namespace convoy {

class ProgressLine {
 public:
  // Not `wanted`: lines on the screen tell the progress already.
  explicit ProgressLine(std::string label, bool wanted = true);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Redraws at most ten times a second, and when `done` reaches `total`.
  void at(int64_t done, int64_t total);
  // Takes the bar away, so that what comes next stands on a clean line.
  void clear();

 private:
  std::string label_;
  bool shows_, drawn_ = false;
  double drawn_at_ = 0;
};

}  // namespace convoy
