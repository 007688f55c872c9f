// Counts the pictures that are left out because they are broken, and says when it is enough.
#pragma once

#include <cstdint>
#include <mutex>

#include "app/prepare/shared_progress.h"
#include "base/error.h"

namespace convoy {

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

 private:
  void count(const Error& error, SharedProgress& progress);

  std::mutex mutex_;
  int64_t count_ = 0, most_;
};

}  // namespace convoy
