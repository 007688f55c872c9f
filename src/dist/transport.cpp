#include "dist/transport.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace convoy {

namespace {

thread_local WaitObserver* observer = nullptr;

}  // namespace

void observe_waits(WaitObserver* new_observer) { observer = new_observer; }

void note_progress() {
  if (observer) observer->advance();
}

void wait_until(const std::function<bool()>& is_true) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds spin{100}, patience{5000};
  const auto start = Clock::now();
  bool is_observed = false;
  while (!is_true()) {
    const auto waited = Clock::now() - start;
    if (waited < spin) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(waited < patience ? 20 : 200));
    if (!observer) continue;
    if (!is_observed) observer->begin_wait();
    is_observed = true;
    observer->look();
  }
  if (is_observed && observer) observer->end_wait();
}

void Transport::wait(Ticket ticket) {
  wait_until([&] { return is_done(ticket); });
}

std::string Transport::broadcast(int root, const std::string& text) {
  uint64_t length = text.size();
  broadcast(root, std::as_writable_bytes(std::span(&length, 1)));
  std::string all = rank() == root ? text : std::string(length, '\0');
  broadcast(root, std::as_writable_bytes(std::span(all)));
  return all;
}

std::vector<int> Transport::neighbours() const {
  std::vector<int> same;
  for (int r = 0; r < size(); ++r) {
    if (host_of(r) == host_of(rank())) same.push_back(r);
  }
  return same;
}

int Transport::local_rank() const {
  const std::vector<int> same = neighbours();
  return static_cast<int>(std::ranges::find(same, rank()) - same.begin());
}

int Transport::hosts() const {
  int most = 0;
  for (int r = 0; r < size(); ++r) most = std::max(most, host_of(r) + 1);
  return most;
}

}  // namespace convoy
