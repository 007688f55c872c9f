// A progress bar on standard error; without a terminal it prints nothing.
#pragma once

#include <cstdint>
#include <string>

namespace convoy {

class ProgressLine {
 public:
  // Not `wanted`: prints nothing, because other output shows the progress already.
  explicit ProgressLine(std::string label, bool wanted = true);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Redraws at most ten times a second, and when `done` reaches `total`.
  void at(int64_t done, int64_t total);
  // Erases the bar, so that the next output starts on a clean line.
  void clear();

 private:
  std::string label_;
  bool shows_, drawn_ = false;
  double drawn_at_ = 0;
};

}  // namespace convoy
