#include "dist/bucket.h"

#include <algorithm>

#include "tensor/shape.h"

namespace convoy {

std::vector<Bucket> cut_into_buckets(int64_t floats, int64_t bucket_floats) {
  std::vector<Bucket> buckets;
  // Equal sizes: a small remainder would be a bucket of its own.
  const int64_t count = std::max<int64_t>(1, (floats + bucket_floats / 2) / bucket_floats);
  const int64_t each = round_up(divide_up(floats, count), 16);
  for (int64_t begin = 0; begin < floats; begin += each) {
    buckets.push_back({begin, std::min(each, floats - begin)});
  }
  return buckets;
}

}  // namespace convoy
