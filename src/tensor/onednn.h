// The only door to oneDNN (v2 API). Moving to v3 is work in this file and its .cpp.
//
// Primitives are created and run with one OpenMP thread on slices of a batch; our pool runs many
// slices at once. Scratchpads are the caller's, so that one primitive may run in many threads.
#pragma once

#include <dnnl.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensor/isa.h"
#include "tensor/shape.h"

namespace convoy::onednn {

Isa best_isa();
void limit_isa(Isa level);

// Called once in each thread that creates or runs primitives.
void use_one_thread();

// True while this thread is inside the library: what it allocates is not ours.
bool inside();

dnnl::engine& engine();

// Memory descriptors of an activation and of plain rows.
dnnl::memory::desc activation(const Shape& shape, Layout layout);
dnnl::memory::desc any(const Shape& shape);
dnnl::memory::desc plain(const Shape& shape);
// The same memory seen with a leading group dimension: [g, o/g, i, h, w].
Shape grouped_weights(const Shape& weights, int64_t groups);

// A primitive that many threads may run at once, each with its own slice's pointers.
class Primitive {
 public:
  struct Arg {
    int name;  // DNNL_ARG_*
    dnnl::memory::desc desc;
  };

  Primitive(const dnnl::primitive& primitive, std::vector<Arg> args,
            const dnnl::memory::desc& scratchpad, std::string implementation);

  size_t scratchpad_bytes() const { return scratchpad_bytes_; }
  const std::string& implementation() const { return implementation_; }

  // One pointer for each argument, in the order given; allocates nothing of ours.
  void run(int worker, std::span<void* const> data, std::byte* scratchpad) const;

 private:
  struct Slot;  // the memory objects of one worker
  Slot& slot(int worker) const;

  dnnl::primitive primitive_;
  std::vector<Arg> args_;
  size_t scratchpad_bytes_;
  dnnl::memory::desc scratchpad_;
  std::string implementation_;
  mutable std::vector<std::shared_ptr<Slot>> slots_;
};

// c[m, n] = a[m, k] b[k, n] (+ c), row-major with leading dimensions; one thread.
void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const float* a,
          int64_t lda, const float* b, int64_t ldb, bool add, float* c, int64_t ldc);

// The version of the library, for env.json.
std::string version();

}  // namespace convoy::onednn
