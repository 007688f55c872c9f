// A bucket: a range of floats of a vector that all processes hold (gradients or parameters). It is
// the unit of an exchange: the exchange of a bucket begins as soon as the bucket is complete, while
// others are still under way. Also used for any other range of such a vector.
#pragma once

#include <cstdint>
#include <vector>

namespace convoy {

struct Bucket {
  int64_t begin = 0, count = 0;
  int64_t end() const { return begin + count; }
  bool operator==(const Bucket&) const = default;
};

// Cuts [0, floats) into buckets of about `bucket_floats` floats each.
std::vector<Bucket> cut_into_buckets(int64_t floats, int64_t bucket_floats);

}  // namespace convoy
