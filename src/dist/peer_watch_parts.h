// What both sides of a `PeerWatch` share.
//
// Rank 0 begins with "challenge DRAWN". The member answers "hello RANK PID DRAWN PROOF HOST", with
// something it has drawn itself, and rank 0 "welcome PROOF"; what comes before is heard by neither.
// Then a member says "beat STEP PROGRESS DOING" and at last "bye" or "fail CODE TEXT"; rank 0 says
// "beat HOST PID STEP", "lost RANK CODE TEXT" and "bye".
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/running_clock.h"
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

// What either side proves with the key: it answers what the other has drawn, and cannot be a copy
// of the other's answer.
inline std::string claim_of_member(const std::string& drawn, const std::string& own,
                                   const std::string& who) {
  return fmt::format("member {} {} {}", drawn, own, who);
}
inline std::string claim_of_zero(const std::string& drawn, const std::string& own) {
  return fmt::format("zero {} {}", drawn, own);
}

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
