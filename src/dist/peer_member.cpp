// The side of `PeerWatch` that runs in all ranks but rank 0.

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "dist/peer_watch_parts.h"

namespace convoy {

class PeerWatch::Member {
 public:
  Member(PeerWatch& watch, const std::string& address) : watch_(watch) {
    const std::vector<std::string> parts = split(address, ' ');
    const std::optional<WatchKey> key = WatchKey::read(parts[0]);
    bool is_address = key && parts.size() >= 3 && parts.size() % 2 == 1;
    for (size_t i = 1; is_address && i < parts.size(); i += 2) {
      uint16_t port = 0;
      is_address = read_number(parts[i], port);
      places_.push_back({parts[i + 1], port});
    }
    if (!is_address) {  // the text may contain the key
      raise(Fault::peer, "rank 0 sent something that is no address of rank 0");
    }
    key_ = *key;
    zero_.heard = clock_.now();
  }

  void run() {
    double next_beat = 0;
    while (!watch_.leaving_ && !watch_.failing_ && !watch_.found_) {
      const double now = clock_.now();
      if (!line_) {
        connect();
      } else if (now >= next_beat) {
        line_->send(watch_.beat());
        next_beat = now + watch_.options_.beat_s;
      }
      wait();
      const double then = clock_.now();
      if (!watch_.was_stopped(clock_.gap())) hear(then);
    }
    if (watch_.found_) return watch_.publish();
    if (line_) tell_end();
    watch_.sent_ = true;
  }

 private:
  void tell_end() {
    line_->send(watch_.failing_ ? "fail " + watch_.failure_ : "bye");
    line_->finish();
    const double end = steady_seconds() + last_words_s;
    while (!line_->is_closed() && steady_seconds() < end) {
      wait();
      while (line_->next()) continue;
    }
  }

  void connect() {
    for (const Place& place : places_) {
      if (watch_.leaving_) return;
      line_ = LineSocket::connect(place.address, place.port, 2);
      if (!line_) continue;
      answered_ = false;
      drawn_.clear();
      // Only rank 0 can answer: another program at that address does not know the key.
      for (int i = 0; i < 20 && !answered_ && !line_->is_closed(); ++i) {
        wait();
        hear(clock_.now());
        if (!line_) break;
      }
      if (answered_ || watch_.found_) return;
      line_.reset();
    }
  }

  void wait() const {
    pollfd file{line_ ? line_->descriptor() : -1, POLLIN, 0};
    ::poll(&file, 1, static_cast<int>(watch_.options_.beat_s * 250));
  }

  void hear(double now) {
    while (line_) {
      const std::optional<std::string> text = line_->next();
      if (!text) break;
      take(*text, now);
    }
    if (watch_.found_ || left_) return;
    const std::string step = std::to_string(watch_.step_);
    if (line_ && line_->is_closed() && answered_) {
      watch_.report(
          {0, 7, zero_.name(0) + " was lost at step " + step + ": its connection closed"});
    } else if (now - zero_.heard >= watch_.options_.stall_timeout_s - watch_.options_.beat_s / 2) {
      watch_.report({0, 7, zero_.name(0) + " stopped answering at step " + step});
    }
  }

  // Answers rank 0's challenge and checks its answer to ours.
  void introduce(const std::vector<std::string>& parts) {
    if (parts.size() != 2) return;
    if (parts[0] == "challenge" && drawn_.empty()) {
      drawn_ = drawn_challenge();
      challenge_ = parts[1];
      const PeerWatch::Options& own = watch_.options_;
      const std::string who = fmt::format("{} {} {}", own.rank, ::getpid(), own.host);
      line_->send(fmt::format("hello {} {} {} {} {}", own.rank, ::getpid(), drawn_,
                              key_.proof(claim_of_member(challenge_, drawn_, who)), own.host));
    } else if (parts[0] == "welcome" && !drawn_.empty()) {
      answered_ = key_.is_proof(parts[1], claim_of_zero(drawn_, challenge_));
    }
  }

  void take(const std::string& text, double now) {
    const std::vector<std::string> parts = words_of_line(text, 4);
    int rank = 0, code = 0;
    if (!answered_) {
      introduce(parts);
      if (answered_) zero_.heard = now;
    } else if (parts[0] == "beat" && parts.size() == 4) {
      zero_.heard = now;
      zero_.host = one_line(parts[1]);
      read_number(parts[2], zero_.pid);
    } else if (parts[0] == "bye") {
      left_ = true;
    } else if (parts[0] == "lost" && parts.size() == 4 && read_number(parts[1], rank) &&
               read_number(parts[2], code)) {
      watch_.report({rank, code, one_line(parts[3]), true});
    }
  }

  struct Place {
    std::string address;
    uint16_t port;
  };

  PeerWatch& watch_;
  WatchKey key_;
  std::vector<Place> places_;
  std::string drawn_, challenge_;  // drawn by us; drawn by rank 0
  RunningClock clock_;
  std::optional<LineSocket> line_;
  WatchedPeer zero_;
  bool answered_ = false, left_ = false;  // left: rank 0 said goodbye
};

std::function<void()> PeerWatch::member(const std::string& address) {
  return [member = std::make_shared<Member>(*this, address)] { member->run(); };
}

}  // namespace convoy
