#include "train/machine_speed.h"

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "kernels/speed.h"
#include "kernels/sums.h"
#include "tensor/isa.h"
#include "tensor/kernel.h"

namespace convoy {
namespace {

// The best of several: disturbances only slow a measurement down.
constexpr int tries = 4;

template <class Body>
double best_seconds(const Body& body) {
  double best = 1e9;
  for (int i = 0; i < tries; ++i) {
    const double start = steady_seconds();
    body();
    best = std::min(best, steady_seconds() - start);
  }
  return best;
}

// `burn` as in kernels/speed.h.
double measure_flops(ThreadPool& pool, double (*burn)(int64_t, float*)) {
  constexpr int64_t rounds = 400'000;  // takes a few milliseconds
  std::vector<double> done(static_cast<size_t>(pool.size()));
  std::vector<float> sinks(done.size() * 16);
  const double seconds = best_seconds([&] {
    pool.run(pool.size(), [&](int task, int) {
      const auto t = static_cast<size_t>(task);
      done[t] = burn(rounds, &sinks[t * 16]);
    });
  });
  return done[0] * static_cast<double>(pool.size()) / seconds;
}

double measure_bytes(ThreadPool& pool) {
  const Chunks chunks{6 << 20, 1 << 16};  // two arrays of 24 MiB
  std::vector<float> target(static_cast<size_t>(chunks.count));
  const std::vector<float> term(static_cast<size_t>(chunks.count), 1.0f);
  const double seconds = best_seconds([&] {
    pool.run(chunks.tasks(), [&](int task, int) {
      kernels::accumulate(target.data() + chunks.begin(task), term.data() + chunks.begin(task),
                          chunks.length(task));
    });
  });
  return 3 * sizeof(float) * static_cast<double>(chunks.count) / seconds;
}

}  // namespace

MachineSpeed measure_speed(ThreadPool& pool) {
  MachineSpeed speed{measure_flops(pool, kernels::burn_fma), measure_bytes(pool)};
  if (has_bf16_products(isa_level())) speed.bf16_flops = measure_flops(pool, kernels::burn_bf16);
  return speed;
}

}  // namespace convoy
