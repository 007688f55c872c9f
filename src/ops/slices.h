// Cuts a batch into tasks: by shape and replicas alone, never by threads. A slice never has images
// of two replicas, so a replica's results do not depend on others in the batch.
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

  // At most about 32 slices per replica, with at least `least` images each: enough for 16 threads
  // at batch 32, and few enough that sums over slices are cheap.
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
  // The images of a replica's last slice if it is shorter; else 0.
  int64_t tail() const { return batch % size; }
};

// Sums the partial sums of all slices, which are `stride` floats apart, into the first: a balanced
// tree over the slices of each replica, then one over the replicas. Handles n elements of each.
inline void sum_slices(const Slices& slices, float* rows, int64_t stride, int64_t n) {
  const int64_t each = slices.per_replica();
  for (int64_t r = 0; r < slices.replicas; ++r) {
    kernels::tree_sum(rows + r * each * stride, stride, each, n);
  }
  kernels::tree_sum(rows, each * stride, slices.replicas, n);
}

}  // namespace convoy::ops
