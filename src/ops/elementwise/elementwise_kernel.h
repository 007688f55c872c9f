// Kernels that treat all stored elements alike, wherever they lie.
#pragma once

#include <memory>

#include "graph/op.h"
#include "tensor/kernel.h"

namespace convoy::ops {

// make.operator()<T>() with the C++ type of fp32 or bf16.
template <class Make>
std::unique_ptr<Kernel> by_storage(const TensorType& type, const Make& make) {
  if (type.dtype == DType::bf16) return make.template operator()<Bf16>();
  return make.template operator()<float>();
}

// body(args, first element, how many) for each chunk of the first output.
template <class Body>
std::unique_ptr<Kernel> by_chunks(const KernelSite& site, const Body& body) {
  const Chunks chunks{stored_count(site.out[0])};
  return one_phase(chunks.tasks(), [=](int task, const KernelArgs& args) {
    body(args, chunks.begin(task), chunks.length(task));
  });
}

// f(input, output, count).
template <class From, class To = From, class F>
std::unique_ptr<Kernel> unary_kernel(const KernelSite& site, const F& f) {
  const auto x = site.input<From>(0);
  const auto y = site.output<To>(0);
  return by_chunks(site, [=](const KernelArgs& args, int64_t at, int64_t count) {
    f(x(args) + at, y(args) + at, count);
  });
}

// f(first input, second input, output, count).
template <class T, class F>
std::unique_ptr<Kernel> binary_kernel(const KernelSite& site, const F& f) {
  const auto a = site.input<T>(0), b = site.input<T>(1);
  const auto y = site.output<T>(0);
  return by_chunks(site, [=](const KernelArgs& args, int64_t at, int64_t count) {
    f(a(args) + at, b(args) + at, y(args) + at, count);
  });
}

// Columns for an f of fp32 alone.
template <void (*f)(const float*, float*, int64_t)>
std::unique_ptr<Kernel> unary(const Node&, const KernelSite& site) {
  return unary_kernel<float>(site, f);
}
template <void (*f)(const float*, const float*, float*, int64_t)>
std::unique_ptr<Kernel> binary(const Node&, const KernelSite& site) {
  return binary_kernel<float>(site, f);
}

}  // namespace convoy::ops
