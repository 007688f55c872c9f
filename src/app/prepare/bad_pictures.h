// Counts the pictures that are left out because they are broken, and says when it is enough.
#pragma once

#include <mutex>
#include <string>

#include "app/progress.h"
#include "base/error.h"

namespace convoy {

// A bar that many threads move.
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

class BadPictures {
 public:
  explicit BadPictures(int64_t most) : most_(most) {}

  // Does something with one picture. Fault::data from it: the picture is bad, which is told on
  // standard error, and false given back; when that is one too many, the error goes on. Any other
  // error is none of the picture's.
  template <class Body>
  bool survives(Body&& body, SharedProgress& progress) {
    try {
      body();
      return true;
    } catch (const Error& error) {
      if (error.fault() != Fault::data) throw;
      count(error, progress);
      return false;
    }
  }

  int64_t count() const { return count_; }

 private:
  void count(const Error& error, SharedProgress& progress);

  std::mutex mutex_;
  int64_t count_ = 0, most_;
};

}  // namespace convoy
