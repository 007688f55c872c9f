// Counts the broken pictures that are left out, and stops when there are too many.
#pragma once

#include <cstdint>
#include <mutex>

#include "app/prepare/shared_progress.h"
#include "base/error.h"

namespace convoy {

class BadPictures {
 public:
  explicit BadPictures(int64_t most) : most_(most) {}

  // Calls `body` for one picture. If it raises Fault::data, the picture is bad: that is reported on
  // standard error and false is returned, or the error is passed on if there are too many. Other
  // errors are passed on.
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

 private:
  void count(const Error& error, SharedProgress& progress);

  std::mutex mutex_;
  int64_t count_ = 0, most_;
};

}  // namespace convoy
