// How a batch is cut into tasks: by shape and replicas alone, never by threads. A slice never
// holds images of two replicas, so a replica computes the same alone and beside others.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "kernels/sums.h"
#include "tensor/shape.h"

namespace convoy::ops {

struct Slices {
  int64_t batch;  // images of one replica
  int64_t replicas;
  int64_t size;  // images of a full slice

  // At most about 32 slices a replica, of at least `least` images each: enough for 16 threads at
  // batch 32, and few enough that sums over slices stay cheap.
  static Slices cut(int64_t images, int64_t replicas, int64_t least = 1) {
    expect(images % replicas == 0, "replicas divide the batch");
    const int64_t batch = images / replicas;
    return {batch, replicas, std::min(batch, std::max(least, divide_up(batch, 32)))};
  }

  int64_t per_replica() const { return divide_up(batch, size); }
  int64_t tasks() const { return per_replica() * replicas; }
  int64_t first(int64_t task) const {
    return task / per_replica() * batch + task % per_replica() * size;
  }
  int64_t count(int64_t task) const { return std::min(size, batch - task % per_replica() * size); }
  // Images of the last slice of a replica when it is no full one; 0 otherwise.
  int64_t tail() const { return batch % size; }
};

// The partial sums of all slices, `stride` floats apart, become one in the first: the slices of a
// replica meet in a balanced tree, then the replicas do. Handles n elements of each.
inline void sum_slices(const Slices& slices, float* rows, int64_t stride, int64_t n) {
  const int64_t each = slices.per_replica();
  for (int64_t r = 0; r < slices.replicas; ++r) {
    kernels::tree_sum(rows + r * each * stride, stride, each, n);
  }
  kernels::tree_sum(rows, each * stride, slices.replicas, n);
}

}  // namespace convoy::ops
