#include "dist/run_watch.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/process.h"
#include "base/running_clock.h"
#include "base/show.h"

namespace convoy {
namespace {

using namespace std::chrono_literals;

// Rank 0 gets this long to write its last events: mpirun ends all ranks when the first one exits.
constexpr auto head_start = 1s;
// A thread that has not noticed the loss by then (it is blocked inside MPI) is ended by _exit.
constexpr auto patience = 5s;

// The interfaces on which rank 0 listens. With all ranks on one host only the loopback: no other
// host can connect.
std::string interfaces_of(const Transport& world) {
  const char* typed = std::getenv("CONVOY_INTERFACE");
  if (typed && *typed) return typed;
  return world.hosts() == 1 && !host_addresses("lo").empty() ? "lo" : "";
}

}  // namespace

RunWatch::RunWatch(Transport* world, double stall_timeout_s)
    : rank_(world ? world->rank() : 0), has_peers_(world && world->size() > 1) {
  if (has_peers_) watch_peers(*world, stall_timeout_s);
  disk_ = std::thread([this, stall_timeout_s] { watch_disk(stall_timeout_s); });
}

void RunWatch::watch_peers(Transport& world, double stall_timeout_s) {
  std::unique_ptr<WatchDoor> door;
  if (rank_ == 0) door = std::make_unique<WatchDoor>(interfaces_of(world));
  const std::string address = world.broadcast(0, door ? door->address() : std::string());
  watch_ = std::make_unique<PeerWatch>(
      PeerWatch::Options{rank_, world.size(), host_name(), stall_timeout_s,
                         std::min(1.0, stall_timeout_s / 5)},
      std::move(door), address, [this](const PeerLoss& loss) { when_lost(loss); });
  observe_waits(this);
}

RunWatch::~RunWatch() {
  if (watch_) observe_waits(nullptr);
  {
    const std::scoped_lock lock(mutex_);
    is_leaving_ = true;
  }
  leaves_.notify_all();
  disk_.join();
}

void RunWatch::watch_disk(double stall_timeout_s) {
  const std::chrono::duration<double> pause(std::min(0.5, stall_timeout_s / 10));
  // Report it within the timeout, and before another rank reports this one as stalled.
  const double limit = stall_timeout_s - 2 * pause.count();
  RunningClock clock;
  FileStall stall;
  std::unique_lock lock(mutex_);
  while (!leaves_.wait_for(lock, pause, [this] { return is_leaving_; })) {
    const std::optional<FileWait> wait = stall.look(clock.now(), limit);
    if (wait) leave_disk(*wait, limit);
  }
}

// A process blocked in the kernel may not even exit, so the error is printed first.
void RunWatch::leave_disk(const FileWait& wait, double seconds) {
  const std::string text = fmt::format(
      "the disk does not answer: rank {} (host {}, pid {}) has waited for {:.1f} s to {} {} after "
      "step {}; try: look at that disk or mount, then convoy resume",
      rank_, host_name(), ::getpid(), seconds, wait.verb, one_line(wait.path), step_.load());
  const std::string label =
      has_peers_ ? fmt::format("[rank {} host {}] ", rank_, host_name()) : std::string();
  // In a thread of its own: standard error may be a file on the same disk.
  std::thread([line = fmt::format("{}convoy: error: {}\n", label, text)] {
    (void)!::write(STDERR_FILENO, line.data(), line.size());
  }).detach();
  std::this_thread::sleep_for(100ms);
  if (watch_) watch_->fail(static_cast<int>(Fault::peer), text);
  std::_Exit(static_cast<int>(Fault::peer));
}

void RunWatch::when_lost(const PeerLoss& loss) {
  std::unique_lock lock(mutex_);
  uint64_t done = 0;
  do {
    done = file_operations_done();
    if (leaves_.wait_for(lock, patience, [this] { return is_leaving_; })) return;
    // A checkpoint being written is finished first, unless `watch_disk` ends the process.
  } while (done != file_operations_done() || oldest_file_number());
  if (!loss.told) {
    show(stderr, "convoy: error: {}\n", loss.text);
    std::fflush(stderr);
  }
  std::_Exit(loss.exit_code);
}

void RunWatch::at_step(int64_t step) {
  step_ = step;
  if (!watch_) return;
  watch_->at_step(step);
  watch_->is_doing(PeerWatch::Doing::working);
}

void RunWatch::advance() {
  if (watch_) watch_->advance();
}

void RunWatch::fail(int exit_code, const std::string& text) {
  if (watch_) watch_->fail(exit_code, text);
}

std::optional<PeerLoss> RunWatch::loss() const { return watch_ ? watch_->loss() : std::nullopt; }

void RunWatch::begin_wait() {
  if (watch_->doing() == PeerWatch::Doing::working) watch_->is_doing(PeerWatch::Doing::waiting);
}

void RunWatch::look() {
  if (!watch_->has_loss()) return;
  const PeerLoss loss = *watch_->loss();
  if (loss.told && rank_ != 0) {
    std::this_thread::sleep_for(head_start);
    std::_Exit(loss.exit_code);
  }
  raise(static_cast<Fault>(loss.exit_code), "{}", loss.text);
}

void RunWatch::end_wait() {
  watch_->advance();
  if (watch_->doing() == PeerWatch::Doing::waiting) watch_->is_doing(PeerWatch::Doing::working);
}

}  // namespace convoy
