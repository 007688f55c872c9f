// A member says "hello TOKEN RANK PID HOST", then "beat STEP PROGRESS DOING" and at last "bye" or
// "fail CODE TEXT"; rank 0 says "beat HOST PID STEP", "lost RANK CODE TEXT" and "bye".

#include "dist/peer_watch.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "config/value.h"

namespace convoy {
namespace {

// Work that nobody can look into (a checkpoint, the start) may take so many times as long.
constexpr double long_work_factor = 10;
constexpr double last_words_s = 0.5;

// The words of a line, the last one with all that is left.
std::vector<std::string> words(const std::string& line, size_t count) {
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
bool read(const std::string& text, T& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

// The clock of a thread that may not have run for a while (a suspended machine): such time counts
// against nobody.
class RunningClock {
 public:
  double now() {
    const double real = steady_seconds();
    lost_ += std::max(0.0, real - last_ - 2);
    last_ = real;
    return real - lost_;
  }

 private:
  double last_ = steady_seconds(), lost_ = 0;
};

// What is known of a rank.
struct Peer {
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

}  // namespace

// Rank 0's side.
class PeerWatch::Monitor {
 public:
  Monitor(PeerWatch& watch, std::unique_ptr<WatchDoor> door)
      : watch_(watch), door_(std::move(door)) {
    const auto n = static_cast<size_t>(watch_.options_.size);
    peers_.resize(n);
    lines_.resize(n);
    const double now = clock_.now();
    for (Peer& peer : peers_) peer.heard = peer.changed = now;
    peers_[0] = {watch_.options_.host, ::getpid(), 0, 0, Doing::long_work, now, now, true, false};
  }

  void run() {
    double next_beat = 0;
    while (!watch_.leaving_ && !watch_.failing_) {
      wait();
      const double now = clock_.now();
      let_in(now);
      for (int rank = 1; rank < watch_.options_.size; ++rank) listen(rank, now);
      peers_[0].note(watch_.step_, watch_.progress_, watch_.doing_, now);
      if (!watch_.found_) judge(now);
      if (watch_.found_) break;
      if (now >= next_beat) {
        tell_all(fmt::format("beat {} {} {}", watch_.options_.host, ::getpid(), peers_[0].step));
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
  };

  void wait() const {
    std::vector<pollfd> files{{door_->descriptor(), POLLIN, 0}};
    for (const auto& line : lines_) {
      if (line && !line->is_closed()) files.push_back({line->descriptor(), POLLIN, 0});
    }
    for (const Stranger& s : strangers_) files.push_back({s.socket.descriptor(), POLLIN, 0});
    ::poll(files.data(), files.size(), static_cast<int>(watch_.options_.beat_s * 250));
  }

  void let_in(double now) {
    while (std::optional<LineSocket> socket = door_->accept()) {
      if (strangers_.size() < 1024) strangers_.push_back({std::move(*socket), now});
    }
    std::erase_if(strangers_, [&](Stranger& stranger) {
      const std::optional<std::string> hello = stranger.socket.next();
      if (hello) introduce(*hello, stranger, now);
      return hello || stranger.socket.is_closed() || now - stranger.since > 10;
    });
  }

  void introduce(const std::string& hello, Stranger& stranger, double now) {
    const std::vector<std::string> parts = words(hello, 5);
    uint64_t token = 0;
    int rank = 0, pid = 0;
    if (parts.size() != 5 || parts[0] != "hello" || !read(parts[1], token, 16) ||
        token != door_->token() || !read(parts[2], rank) || !read(parts[3], pid) || rank < 1 ||
        rank >= watch_.options_.size || lines_[static_cast<size_t>(rank)]) {
      return;
    }
    Peer& peer = peers_[static_cast<size_t>(rank)];
    peer.host = one_line(parts[4]);
    peer.pid = pid;
    peer.heard = peer.changed = now;
    peer.arrived = true;
    lines_[static_cast<size_t>(rank)].emplace(std::move(stranger.socket));
  }

  void listen(int rank, double now) {
    std::optional<LineSocket>& line = lines_[static_cast<size_t>(rank)];
    Peer& peer = peers_[static_cast<size_t>(rank)];
    if (!line) return;
    while (const std::optional<std::string> text = line->next()) hear(rank, *text, now);
    if (line->is_closed() && !peer.gone) {
      watch_.report({rank, 7,
                     fmt::format("{} was lost at step {}: its connection closed", peer.name(rank),
                                 peer.step)});
    }
    if (line->is_closed()) line.reset();
  }

  void hear(int rank, const std::string& text, double now) {
    Peer& peer = peers_[static_cast<size_t>(rank)];
    const std::vector<std::string> parts = words(text, 4);
    int64_t step = 0;
    uint64_t progress = 0;
    int doing = 0, code = 0;
    if (parts.size() == 4 && parts[0] == "beat" && read(parts[1], step) &&
        read(parts[2], progress) && read(parts[3], doing) && doing >= 0 && doing <= 2) {
      peer.note(step, progress, static_cast<Doing>(doing), now);
    } else if (parts[0] == "bye") {
      peer.gone = true;
    } else if (parts[0] == "fail" && parts.size() >= 3 && read(parts[1], code)) {
      peer.gone = true;
      // It tells the user itself.
      watch_.report({rank, code, peer.name(rank) + " failed: " + words(text, 3)[2], true});
    }
  }

  void judge(double now) {
    const double limit = watch_.options_.stall_timeout_s - watch_.options_.beat_s / 2;
    for (int rank = 1; rank < watch_.options_.size; ++rank) {
      const Peer& peer = peers_[static_cast<size_t>(rank)];
      if (peer.gone || now - peer.heard < limit) continue;
      return watch_.report(
          {rank, 7,
           peer.arrived ? fmt::format("{} stopped answering at step {}", peer.name(rank), peer.step)
                        : fmt::format("rank {} has never reached rank 0; try: --interface", rank)});
    }
    judge_work(now, limit);
  }

  // Somebody has waited for the whole time, and somebody has neither waited nor worked.
  void judge_work(double now, double limit) {
    int stalled = -1;
    bool somebody_waits = false, all_wait = true;
    for (int rank = 0; rank < watch_.options_.size; ++rank) {
      const Peer& peer = peers_[static_cast<size_t>(rank)];
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
      const Peer& peer = peers_[static_cast<size_t>(stalled)];
      watch_.report({stalled, 7,
                     fmt::format("{} stands still at step {}, and others wait for it",
                                 peer.name(stalled), peer.step)});
    } else if (all_wait) {
      watch_.report({-1, 7,
                     fmt::format("all ranks wait for one another at step {}: messages were lost",
                                 peers_[0].step)});
    }
  }

  void tell_all(const std::string& text) {
    for (auto& line : lines_) {
      if (line && !line->is_closed()) line->send(text);
    }
  }

  // The last words, and time for the others to hear them.
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
  std::vector<Peer> peers_;
  std::vector<std::optional<LineSocket>> lines_;  // by rank
  std::vector<Stranger> strangers_;
};

// The other ranks' side.
class PeerWatch::Member {
 public:
  Member(PeerWatch& watch, const std::string& address) : watch_(watch) {
    const std::vector<std::string> parts = split(address, ' ');
    if (parts.size() < 3 || !read(parts[0], token_, 16) || !read(parts[1], port_)) {
      raise(Fault::peer, "\"{}\" is no address of rank 0", one_line(address));
    }
    addresses_.assign(parts.begin() + 2, parts.end());
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
      hear(clock_.now());
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
    for (const std::string& address : addresses_) {
      if (watch_.leaving_) return;
      line_ = LineSocket::connect(address, port_, 2);
      if (!line_) continue;
      line_->send(fmt::format("hello {:016x} {} {} {}", token_, watch_.options_.rank, ::getpid(),
                              watch_.options_.host));
      answered_ = false;
      // A stranger at that address does not answer.
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

  void take(const std::string& text, double now) {
    const std::vector<std::string> parts = words(text, 4);
    int rank = 0, code = 0;
    if (parts[0] == "beat" && parts.size() == 4) {
      answered_ = true;
      zero_.heard = now;
      zero_.host = one_line(parts[1]);
      read(parts[2], zero_.pid);
    } else if (parts[0] == "bye") {
      left_ = true;
    } else if (parts[0] == "lost" && parts.size() == 4 && read(parts[1], rank) &&
               read(parts[2], code)) {
      watch_.report({rank, code, one_line(parts[3]), true});
    }
  }

  PeerWatch& watch_;
  uint64_t token_ = 0;
  uint16_t port_ = 0;
  std::vector<std::string> addresses_;
  RunningClock clock_;
  std::optional<LineSocket> line_;
  Peer zero_;
  bool answered_ = false, left_ = false;  // left: rank 0 said goodbye
};

PeerWatch::PeerWatch(Options options, std::unique_ptr<WatchDoor> door, const std::string& address,
                     std::function<void(const PeerLoss&)> on_loss)
    : options_(std::move(options)), on_loss_(std::move(on_loss)) {
  if (options_.size < 2) return;
  expect((options_.rank == 0) == (door != nullptr), "rank 0 alone has a door");
  if (options_.rank == 0) {
    thread_ = std::thread(
        [this, monitor = std::make_shared<Monitor>(*this, std::move(door))] { monitor->run(); });
  } else {
    thread_ =
        std::thread([this, member = std::make_shared<Member>(*this, address)] { member->run(); });
  }
}

PeerWatch::~PeerWatch() {
  leaving_ = true;
  if (thread_.joinable()) thread_.join();
}

std::string PeerWatch::beat() const {
  return fmt::format("beat {} {} {}", step_.load(), progress_.load(),
                     static_cast<int>(doing_.load()));
}

void PeerWatch::report(PeerLoss loss) {
  {
    const std::scoped_lock lock(mutex_);
    if (loss_ || failing_) return;
    loss_ = std::move(loss);
  }
  found_ = true;
}

void PeerWatch::publish() {
  lost_ = true;
  on_loss_(*loss());
}

std::optional<PeerLoss> PeerWatch::loss() const {
  const std::scoped_lock lock(mutex_);
  return loss_;
}

void PeerWatch::fail(int exit_code, const std::string& text) {
  if (lost_ || !thread_.joinable()) return;
  failure_ = fmt::format("{} {}", exit_code, one_line(text));
  failing_ = true;
  for (int i = 0; i < 200 && !sent_ && !lost_; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace convoy
