// A progress bar that several threads advance.
#pragma once

#include <mutex>
#include <string>

#include "app/progress.h"

namespace convoy {

class SharedProgress {
 public:
  SharedProgress(std::string label, int64_t total) : line_(std::move(label)), total_(total) {}

  void add(int64_t count) {
    const std::lock_guard lock(mutex_);
    line_.at(done_ += count, total_);
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    line_.clear();
  }

 private:
  std::mutex mutex_;
  ProgressLine line_;
  int64_t done_ = 0, total_;
};

}  // namespace convoy
