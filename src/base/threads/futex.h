// Sleeps until another thread changes a word of memory (Linux futex, within this process).
#pragma once

#include <atomic>
#include <cstdint>

namespace convoy {

// Returns at once unless `word` equals `value`; may also return early. Always check again.
void futex_wait(const std::atomic<uint32_t>& word, uint32_t value);

// Wakes at most `threads` threads that wait for `word`.
void futex_wake(const std::atomic<uint32_t>& word, int threads);

}  // namespace convoy
