// Types and protocol that both sides of a `PeerWatch` share. Messages are lines of text:
//
// Rank 0 sends "challenge DRAWN". The member answers "hello RANK PID DRAWN PROOF HOST" with a
// challenge of its own, and rank 0 replies "welcome PROOF". Both sides ignore all other lines
// before that. Then the member sends "beat STEP PROGRESS DOING", and at the end "bye" or "fail CODE
// TEXT"; rank 0 sends "beat HOST PID STEP", "lost RANK CODE TEXT" and "bye".
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/running_clock.h"
#include "dist/peer_watch.h"

namespace convoy {

constexpr double last_words_s = 0.5;  // time for the other side to read our last message

// Splits a line into at most `count` words; the last one contains the rest of the line.
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

// The text that a side signs with the key. It contains the other side's challenge, and the two
// sides use different texts, so neither can replay the other's answer.
inline std::string claim_of_member(const std::string& drawn, const std::string& own,
                                   const std::string& who) {
  return fmt::format("member {} {} {}", drawn, own, who);
}
inline std::string claim_of_zero(const std::string& drawn, const std::string& own) {
  return fmt::format("zero {} {}", drawn, own);
}

// What rank 0 knows about a rank.
struct WatchedPeer {
  std::string host = "unknown";
  int pid = 0;
  int64_t step = 0;
  uint64_t progress = 0;
  PeerWatch::Doing doing = PeerWatch::Doing::long_work;
  double heard = 0, changed = 0;       // when it last sent something; when that last differed
  bool arrived = false, gone = false;  // gone: it said goodbye

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
