#include "app/signals.h"

#include <csignal>
#include <initializer_list>

namespace convoy {
namespace {

std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a handler may only touch lock-free atomics");

void on_signal(int number) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number)) return;
  // The second: die of it, as if we had never asked for it.
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

const std::atomic<int>& watch_signals() {
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_NODEFER | SA_RESTART;
    sigaction(number, &action, nullptr);
  }
  return first_signal;
}

}  // namespace convoy
