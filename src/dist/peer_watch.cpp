#include "dist/peer_watch.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/show.h"

namespace convoy {

PeerWatch::PeerWatch(Options options, std::unique_ptr<WatchDoor> door, const std::string& address,
                     std::function<void(const PeerLoss&)> on_loss)
    : options_(std::move(options)), on_loss_(std::move(on_loss)) {
  if (options_.size < 2) return;
  expect((options_.rank == 0) == (door != nullptr), "rank 0 alone has a door");
  thread_ = std::thread(door ? monitor(std::move(door)) : member(address));
}

PeerWatch::~PeerWatch() {
  leaving_ = true;
  if (thread_.joinable()) thread_.join();
}

std::string PeerWatch::beat() const {
  return fmt::format("beat {} {} {}", step_.load(), progress(), static_cast<int>(doing_.load()));
}

bool PeerWatch::was_stopped(double gap_s) {
  constexpr double connecting_s = 4;  // connecting blocks the watch thread for this long at most
  if (gap_s < std::max(options_.stall_timeout_s, connecting_s)) return false;
  report({options_.rank, 7,
          fmt::format("rank {} (host {}, pid {}) did not run for {:.0f} s at step {}; the others "
                      "have left",
                      options_.rank, options_.host, ::getpid(), gap_s, step_.load())});
  return true;
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
