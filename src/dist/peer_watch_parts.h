// What both sides of a `PeerWatch` share. A member says "hello TOKEN RANK PID HOST", then "beat
// STEP PROGRESS DOING" and at last "bye" or "fail CODE TEXT"; rank 0 says "beat HOST PID STEP",
// "lost RANK CODE TEXT" and "bye".
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/clock.h"
#include "dist/peer_watch.h"

namespace convoy {

constexpr double last_words_s = 0.5;  // for the other side to hear why we leave

// The words of a line, the last one with all that is left.
inline std::vector<std::string> words_of_line(const std::string& line, size_t count) {
  std::vector<std::string> result;
  size_t begin = 0;
  while (result.size() + 1 < count) {
    const size_t end = line.find(' ', begin);
    if (end == line.npos) break;
    result.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  result.push_back(line.substr(begin));
  return result;
}

template <class T>
bool read_number(const std::string& text, T& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

// The clock of a thread that may not have run for a while (a suspended machine): such time counts
// against nobody.
class RunningClock {
 public:
  double now() {
    const double real = steady_seconds();
    gap_ = real - last_;
    lost_ += std::max(0.0, gap_ - 2);
    last_ = real;
    return real - lost_;
  }
  // Between the last two looks at it.
  double gap() const { return gap_; }

 private:
  double last_ = steady_seconds(), lost_ = 0, gap_ = 0;
};

// What is known of a rank.
struct WatchedPeer {
  std::string host = "unknown";
  int pid = 0;
  int64_t step = 0;
  uint64_t progress = 0;
  PeerWatch::Doing doing = PeerWatch::Doing::long_work;
  double heard = 0, changed = 0;
  bool arrived = false, gone = false;  // gone: with a goodbye

  void note(int64_t new_step, uint64_t new_progress, PeerWatch::Doing new_doing, double now) {
    if (new_step != step || new_progress != progress || new_doing != doing) changed = now;
    step = new_step;
    progress = new_progress;
    doing = new_doing;
    heard = now;
  }
  std::string name(int rank) const {
    return fmt::format("rank {} (host {}, pid {})", rank, host, pid);
  }
};

}  // namespace convoy
