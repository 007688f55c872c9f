#include "dist/host_window.h"

#include <algorithm>

#include "base/error.h"
#include "tensor/shape.h"

namespace convoy {
namespace {

// Each row begins on its own page, so that it lies in the NUMA memory of the rank that fills it.
constexpr int64_t page = 4096;

int64_t flag_bytes(int64_t flags) { return round_up(flags * 8, page); }

}  // namespace

HostWindow::HostWindow(Transport& transport, int64_t floats, int flags, bool alone)
    : ranks_{transport.rank()}, floats_(round_up(floats * 4, page) / 4), flags_(flags) {
  const auto each = static_cast<size_t>(floats_ * 4 + flag_bytes(flags_));
  const std::vector<int> neighbours = transport.neighbours();
  if (neighbours.size() > 1 && !alone) {
    shared_ = transport.share(each * neighbours.size());
    if (!shared_.bytes.empty()) {
      ranks_ = neighbours;
      own_ = static_cast<size_t>(transport.local_rank());
      memory_ = shared_.bytes.data();
    }
  }
  if (!memory_) {
    lone_.reserve(each);
    memory_ = lone_.data();
  }
}

size_t HostWindow::place_of(int rank) const {
  const auto found = std::ranges::find(ranks_, rank);
  expect(found != ranks_.end(), "a rank of this window");
  return static_cast<size_t>(found - ranks_.begin());
}

std::span<float> HostWindow::row(size_t place) const {
  std::byte* rows = memory_ + static_cast<size_t>(flag_bytes(flags_)) * ranks_.size();
  return {reinterpret_cast<float*>(rows) + place * static_cast<size_t>(floats_),
          static_cast<size_t>(floats_)};
}

std::atomic<uint64_t>& HostWindow::flag_at(size_t place, int flag) const {
  static_assert(std::atomic<uint64_t>::is_always_lock_free, "processes share it");
  auto* flags = reinterpret_cast<std::atomic<uint64_t>*>(
      memory_ + place * static_cast<size_t>(flag_bytes(flags_)));
  return flags[flag];
}

void HostWindow::raise_flag(int flag, uint64_t step) {
  flag_at(own_, flag).store(step, std::memory_order_release);
}

bool HostWindow::is_raised(size_t place, int flag, uint64_t step) const {
  return flag_at(place, flag).load(std::memory_order_acquire) >= step;
}

}  // namespace convoy
