// The only access to oneDNN (v2 API): only onednn.cpp includes `dnnl.hpp`, so that moving to v3
// changes one file.
//
// Primitives are created and run with one OpenMP thread on slices of a batch; our pool runs many
// slices at once. Scratchpads are the caller's, so that one primitive may run in many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tensor/isa.h"
#include "tensor/shape.h"
#include "tensor/weight_packing.h"

namespace convoy::onednn {

// Makes oneDNN use exactly isa_level(), so that two machines of one level run the same kernels.
// Called automatically before the first primitive; afterwards the level cannot change.
void settle_isa();
std::string version();

// Called once in each thread that creates or runs primitives.
void use_one_thread();

// True while this thread is inside the library: its allocations are not ours.
bool inside();

struct ConvShape {
  int64_t n, ic, ih, iw, oc, oh, ow, kh, kw;
  int64_t stride_h = 1, stride_w = 1;
  int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  int64_t groups = 1;
  Layout x = Layout::blocked, y = Layout::blocked;
  DType stored = DType::f32;  // the type of both images: f32 or bf16
};

// What a forward pass does with its sums before it stores them, in fp32: y = act(sum + shift + y).
struct ConvTail {
  bool shift = false;  // one fp32 number for each output channel; false: nothing is done
  bool adds = false;   // the image that was in y's memory
  enum class Act : uint8_t { none, relu, swish } act = Act::none;
};

enum class ConvPass { forward, grad_input, grad_weights };

// One pass of a convolution over a few images. Weights and their gradient are packed. With images
// in bf16 the packed weights are bf16 too, but their gradient is fp32; sums are fp32.
class Convolution {
 public:
  // `like`: use its weight packing (a shorter last slice beside the full ones).
  // `tail` is for forward passes.
  Convolution(const ConvShape& shape, ConvPass pass, const Convolution* like = nullptr,
              const ConvTail& tail = {});
  ~Convolution();
  Convolution(Convolution&&) noexcept;
  Convolution& operator=(Convolution&&) noexcept;

  const WeightPacking& packing() const;
  size_t scratchpad_bytes() const;
  const std::string& implementation() const;  // oneDNN's name, "jit:avx2"

  // Makes what each of `workers` threads needs to run the pass; keeps what exists.
  void prepare(int workers) const;

  // forward: y = x * w.  grad_input: x from y and w.  grad_weights: w from x and y. The result is
  // written, the other two are read. `worker` is the index of the calling thread. Needs `prepare`
  // with more workers than this index. `shift`: of the tail, if it has one.
  void run(int worker, void* x, void* w, void* y, std::byte* scratchpad,
           const float* shift = nullptr) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// c[m, n] = a[m, k] b[k, n] (+ c), row-major with leading dimensions; one thread.
void gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const float* a,
          int64_t lda, const float* b, int64_t ldb, bool add, float* c, int64_t ldc);

}  // namespace convoy::onednn
