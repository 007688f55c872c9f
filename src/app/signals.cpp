#include "app/signals.h"

#include <time.h>

#include <csignal>
#include <cstdint>
#include <initializer_list>

namespace convoy {
namespace {

constexpr int64_t same_stop_ms = 1000;

std::atomic<int> first_signal{0};
std::atomic<int64_t> first_ms{0};
std::atomic<bool> ends_by_second{true};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free,
              "a handler may only touch lock-free atomics");

int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Dies by the signal, as without handlers.
void die(int number) {
  const int deadly = number == SIGINT ? SIGINT : SIGTERM;
  std::signal(deadly, SIG_DFL);
  std::raise(deadly);
}

void on_signal(int number) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number)) {
    first_ms = now_ms();
    return;
  }
  const int64_t begin = first_ms;  // 0: the first signal is being handled right now
  if (ends_by_second && begin && now_ms() - begin >= same_stop_ms) die(number);
}

void handle(std::initializer_list<int> numbers, void (*handler)(int)) {
  for (const int number : numbers) {
    struct sigaction action {};
    if (number == SIGHUP && sigaction(number, nullptr, &action) == 0 &&
        action.sa_handler == SIG_IGN) {
      continue;
    }
    action = {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_NODEFER | SA_RESTART;
    sigaction(number, &action, nullptr);
  }
}

}  // namespace

void end_as_terminated() { handle({SIGHUP, SIGUSR1, SIGUSR2}, die); }

const std::atomic<int>& watch_signals(bool is_rank) {
  ends_by_second = !is_rank;
  handle({SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}, on_signal);
  return first_signal;
}

}  // namespace convoy
