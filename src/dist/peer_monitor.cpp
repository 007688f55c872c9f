// The side of `PeerWatch` that runs in rank 0: it receives all heartbeats and decides which rank is
// lost.

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "base/show.h"
#include "dist/peer_watch_parts.h"

namespace convoy {
namespace {

// The start of a run reports no progress, so its time limit is multiplied by this.
constexpr double long_work_factor = 10;

}  // namespace

class PeerWatch::Monitor {
 public:
  Monitor(PeerWatch& watch, std::unique_ptr<WatchDoor> door)
      : watch_(watch), door_(std::move(door)) {
    const auto n = static_cast<size_t>(watch_.options_.size);
    peers_.resize(n);
    lines_.resize(n);
    const double now = clock_.now();
    for (WatchedPeer& peer : peers_) peer.heard = peer.changed = now;
    peers_[0] = {watch_.options_.host, ::getpid(), 0, 0, Doing::long_work, now, now, true, false};
  }

  void run() {
    double next_beat = 0;
    while (!watch_.leaving_ && !watch_.failing_) {
      wait();
      const double now = clock_.now();
      if (watch_.was_stopped(clock_.gap())) break;
      peers_[0].note(watch_.step_, watch_.progress(), watch_.doing_, now);
      let_in(now);
      for (int rank = 1; rank < watch_.options_.size; ++rank) listen(rank, now);
      if (!watch_.found_) judge(now);
      if (watch_.found_) break;
      if (now >= next_beat) {
        tell_all(beat());
        next_beat = now + watch_.options_.beat_s;
      }
    }
    tell_end();
    watch_.sent_ = true;
    if (watch_.found_) watch_.publish();
  }

 private:
  struct Stranger {
    LineSocket socket;
    double since;
    std::string challenge;
  };

  std::string beat() const {
    return fmt::format("beat {} {} {}", watch_.options_.host, ::getpid(), peers_[0].step);
  }

  void wait() const {
    std::vector<pollfd> files;
    for (const int door : door_->descriptors()) files.push_back({door, POLLIN, 0});
    for (const auto& line : lines_) {
      if (line && !line->is_closed()) files.push_back({line->descriptor(), POLLIN, 0});
    }
    for (const Stranger& s : strangers_) files.push_back({s.socket.descriptor(), POLLIN, 0});
    ::poll(files.data(), files.size(), static_cast<int>(watch_.options_.beat_s * 250));
  }

  void let_in(double now) {
    while (std::optional<LineSocket> socket = door_->accept()) {
      if (strangers_.size() >= 1024) continue;
      strangers_.push_back({std::move(*socket), now, drawn_challenge()});
      strangers_.back().socket.send("challenge " + strangers_.back().challenge);
    }
    std::erase_if(strangers_, [&](Stranger& stranger) {
      const std::optional<std::string> hello = stranger.socket.next();
      if (hello) introduce(*hello, stranger, now);
      return hello || stranger.socket.is_closed() || now - stranger.since > 10;
    });
  }

  void introduce(const std::string& hello, Stranger& stranger, double now) {
    const std::vector<std::string> parts = words_of_line(hello, 6);
    int rank = 0, pid = 0;
    if (parts.size() != 6 || parts[0] != "hello" || !read_number(parts[1], rank) ||
        !read_number(parts[2], pid) || rank < 1 || rank >= watch_.options_.size ||
        lines_[static_cast<size_t>(rank)]) {
      return;
    }
    const std::string& drawn = parts[3];
    const std::string who = fmt::format("{} {} {}", rank, pid, parts[5]);
    if (!door_->key().is_proof(parts[4], claim_of_member(stranger.challenge, drawn, who))) return;
    stranger.socket.send("welcome " + door_->key().proof(claim_of_zero(drawn, stranger.challenge)));
    WatchedPeer& peer = peers_[static_cast<size_t>(rank)];
    peer.host = one_line(parts[5]);
    peer.pid = pid;
    peer.heard = peer.changed = now;
    peer.arrived = true;
    lines_[static_cast<size_t>(rank)].emplace(std::move(stranger.socket));
    lines_[static_cast<size_t>(rank)]->send(beat());  // it may need our name for an error message
  }

  void listen(int rank, double now) {
    std::optional<LineSocket>& line = lines_[static_cast<size_t>(rank)];
    WatchedPeer& peer = peers_[static_cast<size_t>(rank)];
    if (!line) return;
    while (const std::optional<std::string> text = line->next()) hear(rank, *text, now);
    if (line->is_closed() && !peer.gone) {
      watch_.report({rank, 7,
                     fmt::format("{} was lost at step {}: its connection closed", peer.name(rank),
                                 reached(peer))});
    }
    if (line->is_closed()) line.reset();
  }

  void hear(int rank, const std::string& text, double now) {
    WatchedPeer& peer = peers_[static_cast<size_t>(rank)];
    const std::vector<std::string> parts = words_of_line(text, 4);
    int64_t step = 0;
    uint64_t progress = 0;
    int doing = 0, code = 0;
    if (parts.size() == 4 && parts[0] == "beat" && read_number(parts[1], step) &&
        read_number(parts[2], progress) && read_number(parts[3], doing) && doing >= 0 &&
        doing <= 2) {
      peer.note(step, progress, static_cast<Doing>(doing), now);
    } else if (parts[0] == "bye") {
      peer.gone = true;
    } else if (parts[0] == "fail" && parts.size() >= 3 && read_number(parts[1], code)) {
      peer.gone = true;
      // That rank prints the error itself.
      watch_.report({rank, code, peer.name(rank) + " failed: " + words_of_line(text, 3)[2], true});
    }
  }

  void judge(double now) {
    const double limit = watch_.options_.stall_timeout_s - watch_.options_.beat_s / 2;
    for (int rank = 1; rank < watch_.options_.size; ++rank) {
      const WatchedPeer& peer = peers_[static_cast<size_t>(rank)];
      if (peer.gone || now - peer.heard < limit) continue;
      return watch_.report(
          {rank, 7,
           peer.arrived
               ? fmt::format("{} stopped answering at step {}", peer.name(rank), reached(peer))
               : fmt::format("rank {} has never reached rank 0; try: --interface", rank)});
    }
    judge_work(now, limit);
  }

  // Reports a stall if one rank has waited for the whole time limit while another one has neither
  // waited nor made progress.
  void judge_work(double now, double limit) {
    int stalled = -1;
    bool somebody_waits = false, all_wait = true;
    for (int rank = 0; rank < watch_.options_.size; ++rank) {
      const WatchedPeer& peer = peers_[static_cast<size_t>(rank)];
      if (peer.gone || !peer.arrived) return;
      const double still = now - peer.changed;
      if (peer.doing == Doing::waiting) {
        somebody_waits |= still >= limit;
        all_wait &= still >= limit;
        continue;
      }
      all_wait = false;
      const double patience = peer.doing == Doing::long_work ? limit * long_work_factor : limit;
      if (still >= patience && stalled < 0) stalled = rank;
    }
    if (somebody_waits && stalled >= 0) {
      const WatchedPeer& peer = peers_[static_cast<size_t>(stalled)];
      watch_.report({stalled, 7,
                     fmt::format("{} stands still at step {}, and others wait for it",
                                 peer.name(stalled), peer.step)});
    } else if (all_wait) {
      watch_.report({-1, 7,
                     fmt::format("all ranks wait for one another at step {}: messages were lost",
                                 peers_[0].step)});
    }
  }

  // Ranks meet in every step: a rank whose last message is old has come as far as rank 0.
  int64_t reached(const WatchedPeer& peer) const { return std::max(peer.step, peers_[0].step); }

  void tell_all(const std::string& text) {
    for (auto& line : lines_) {
      if (line && !line->is_closed()) line->send(text);
    }
  }

  // Sends the last message and gives the other ranks time to read it.
  void tell_end() {
    if (watch_.found_) {
      const PeerLoss loss = *watch_.loss();
      tell_all(fmt::format("lost {} {} {}", loss.rank, loss.exit_code, loss.text));
    } else {
      tell_all(watch_.failing_ ? "lost 0 " + watch_.failure_ : "bye");
    }
    for (auto& line : lines_) {
      if (line) line->finish();
    }
    const double end = steady_seconds() + last_words_s;
    while (std::ranges::any_of(lines_, [](auto& line) { return line && !line->is_closed(); }) &&
           steady_seconds() < end) {
      wait();
      for (auto& line : lines_) {
        while (line && line->next()) continue;
      }
    }
  }

  PeerWatch& watch_;
  std::unique_ptr<WatchDoor> door_;
  RunningClock clock_;
  std::vector<WatchedPeer> peers_;
  std::vector<std::optional<LineSocket>> lines_;  // by rank
  std::vector<Stranger> strangers_;
};

std::function<void()> PeerWatch::monitor(std::unique_ptr<WatchDoor> door) {
  return [monitor = std::make_shared<Monitor>(*this, std::move(door))] { monitor->run(); };
}

}  // namespace convoy
