// Sleeping on a word of memory until somebody changes it (Linux futex, within this process).
#pragma once

#include <atomic>
#include <cstdint>

namespace convoy {

// Returns at once unless `word` holds `value`; may return early for no reason. Look again, always.
void futex_wait(const std::atomic<uint32_t>& word, uint32_t value);

// Wakes at most so many threads that wait for `word`.
void futex_wake(const std::atomic<uint32_t>& word, int threads);

}  // namespace convoy
