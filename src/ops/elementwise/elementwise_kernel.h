// Makes kernels that treat all stored elements alike, in any layout.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/kernel.h"

namespace convoy::ops {

// Calls make.operator()<T>() with the C++ type of fp32, bf16 or fp16.
template <class Make>
std::unique_ptr<Kernel> by_storage(const TensorType& type, const Make& make) {
  if (type.dtype == DType::bf16) return make.template operator()<Bf16>();
  if (type.dtype == DType::f16) return make.template operator()<F16>();
  return make.template operator()<float>();
}

// Calls body(args, first element, count) for each chunk of the first output.
template <class Body>
std::unique_ptr<Kernel> by_chunks(const KernelSite& site, const Body& body) {
  const Chunks chunks{stored_count(site.out[0])};
  return one_phase(chunks.tasks(), [=](int task, const KernelArgs& args) {
    body(args, chunks.begin(task), chunks.length(task));
  });
}

// Calls f(input, output, count) for each chunk.
template <class From, class To = From, class F>
std::unique_ptr<Kernel> unary_kernel(const KernelSite& site, const F& f) {
  const auto x = site.input<From>(0);
  const auto y = site.output<To>(0);
  return by_chunks(site, [=](const KernelArgs& args, int64_t at, int64_t count) {
    f(x(args) + at, y(args) + at, count);
  });
}

// Calls f(first input, second input, output, count) for each chunk.
template <class T, class F>
std::unique_ptr<Kernel> binary_kernel(const KernelSite& site, const F& f) {
  const auto a = site.input<T>(0), b = site.input<T>(1);
  const auto y = site.output<T>(0);
  return by_chunks(site, [=](const KernelArgs& args, int64_t at, int64_t count) {
    f(a(args) + at, b(args) + at, y(args) + at, count);
  });
}

}  // namespace convoy::ops
