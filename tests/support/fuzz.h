// A reader against damaged files, for some seconds: an error of one line and the fault that was
// agreed, or a result; and never memory that the file does not account for.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "support/allocations.h"

namespace convoy::test {

struct Fuzz {
  int seconds;
  uint64_t seed;
  Fault fault = Fault::data;
  int64_t most_per_byte = 64;  // of the file, in one allocation
  int64_t total_per_byte = 0;  // in all; 0: not checked
};

// `read(make(random), random)` until the time is over.
template <class Make, class Read>
void fuzz(const Fuzz& how, Make&& make, Read&& read) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(how.seconds);
  int rounds = 0, accepted = 0;
  for (; Clock::now() < end; ++rounds) {
    SCOPED_TRACE("round " + std::to_string(rounds));
    Random random(random_key(how.seed, Purpose::generated, static_cast<uint64_t>(rounds)));
    const std::string bytes = make(random);
    const AllocationCounter counter;
    try {
      read(bytes, random);
      ++accepted;
    } catch (const Error& error) {
      ASSERT_EQ(error.fault(), how.fault) << error.what();
      ASSERT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
    const auto size = static_cast<int64_t>(bytes.size());
    ASSERT_LT(counter.largest_bytes(), how.most_per_byte * size + (1 << 18));
    if (how.total_per_byte) {
      ASSERT_LT(counter.bytes(), how.total_per_byte * size + (4 << 20));
    }
  }
  std::cout << rounds << " files, " << accepted << " of them sound\n";
  EXPECT_GT(rounds, 200);
  EXPECT_GT(accepted, 0);
}

}  // namespace convoy::test
