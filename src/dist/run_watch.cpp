#include "dist/run_watch.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/process.h"
#include "base/show.h"

namespace convoy {
namespace {

using namespace std::chrono_literals;

// Rank 0 gets this long to write its last events: mpirun ends everybody with the first to leave.
constexpr auto head_start = 1s;
// Who has not noticed a loss by then (it waits somewhere inside MPI) is ended from outside.
constexpr auto patience = 5s;

}  // namespace

RunWatch::RunWatch(Transport* world, double stall_timeout_s) : rank_(world ? world->rank() : 0) {
  if (!world || world->size() < 2) return;
  std::unique_ptr<WatchDoor> door;
  const char* interfaces = std::getenv("CONVOY_INTERFACE");
  if (rank_ == 0) door = std::make_unique<WatchDoor>(interfaces ? interfaces : "");
  const std::string address = world->broadcast(0, door ? door->address() : std::string());
  watch_ = std::make_unique<PeerWatch>(
      PeerWatch::Options{rank_, world->size(), host_name(), stall_timeout_s,
                         std::min(1.0, stall_timeout_s / 5)},
      std::move(door), address, [this](const PeerLoss& loss) { when_lost(loss); });
  observe_waits(this);
}

RunWatch::~RunWatch() {
  if (!watch_) return;
  observe_waits(nullptr);
  {
    const std::scoped_lock lock(mutex_);
    is_leaving_ = true;
  }
  leaves_.notify_all();
}

void RunWatch::when_lost(const PeerLoss& loss) {
  std::unique_lock lock(mutex_);
  if (leaves_.wait_for(lock, patience, [this] { return is_leaving_; })) return;
  if (!loss.told) {
    show(stderr, "convoy: error: {}\n", loss.text);
    std::fflush(stderr);
  }
  std::_Exit(loss.exit_code);
}

void RunWatch::at_step(int64_t step) {
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

RunWatch::LongWork::LongWork(RunWatch& watch) : watch_(watch) {
  if (!watch_.watch_) return;
  before_ = watch_.watch_->doing();
  watch_.watch_->is_doing(PeerWatch::Doing::long_work);
}

RunWatch::LongWork::~LongWork() {
  if (watch_.watch_) watch_.watch_->is_doing(before_);
}

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
