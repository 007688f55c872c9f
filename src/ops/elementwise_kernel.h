// A kernel that treats all stored elements alike, wherever they lie.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/kernel.h"

namespace convoy::ops {

// body(args, first element, how many) for each chunk of the first output.
template <class Body>
std::unique_ptr<Kernel> by_chunks(const KernelSite& site, const Body& body) {
  const Chunks chunks{stored_count(site.out[0])};
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(chunks.tasks(), [=](int task, const KernelArgs& args) {
    body(args, chunks.begin(task), chunks.length(task));
  });
  return kernel;
}

// f(first input, second input, output, count).
template <void (*f)(const float*, const float*, float*, int64_t)>
std::unique_ptr<Kernel> binary_kernel(const Node&, const KernelSite& site) {
  return by_chunks(site, [](const KernelArgs& args, int64_t at, int64_t count) {
    f(args.input(0) + at, args.input(1) + at, args.output(0) + at, count);
  });
}

}  // namespace convoy::ops
