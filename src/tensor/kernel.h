// The code that runs a node: phases of independent tasks that any thread may run.
//
// The number of phases and tasks, and what each computes, depend on shapes alone, never on the
// number of threads: this makes results independent of it. All tasks of a phase end before the next
// phase starts. `run` allocates nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensor/shape.h"

namespace convoy {

struct KernelSite;

// Untyped memory: a kernel reads and writes it through its In and Out.
struct KernelArgs {
  std::span<std::byte*const> in, out;
  std::byte* scratch;         // scratch_bytes(), shared by all tasks of the kernel
  std::byte* worker_scratch;  // worker_scratch_bytes(), for the running thread only
  std::byte* packed;          // packed_bytes(); kept between runs if the plan packs once
  int worker;
};

// An input of a kernel with elements of type T. Only a KernelSite (graph/op.h) makes it, and
// refuses an input of another type: a mismatch is found when the plan is made, and a run checks
// nothing. A default-constructed In stands for an absent input and must not be called.
template <class T>
class In {
 public:
  In() = default;
  explicit operator bool() const { return index_ >= 0; }
  const T* operator()(const KernelArgs& args) const {
    return reinterpret_cast<const T*>(args.in[static_cast<size_t>(index_)]);
  }

 private:
  friend struct KernelSite;
  explicit In(int index) : index_(index) {}
  int index_ = -1;
};

// An output, with the same rules.
template <class T>
class Out {
 public:
  Out() = default;
  explicit operator bool() const { return index_ >= 0; }
  T* operator()(const KernelArgs& args) const {
    return reinterpret_cast<T*>(args.out[static_cast<size_t>(index_)]);
  }

 private:
  friend struct KernelSite;
  explicit Out(int index) : index_(index) {}
  int index_ = -1;
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual int phases() const { return 1; }
  virtual int tasks(int phase) const = 0;
  virtual void run(int phase, int task, const KernelArgs& args) const = 0;
  virtual size_t scratch_bytes() const { return 0; }
  virtual size_t worker_scratch_bytes() const { return 0; }
  // The first `packing_phases()` phases read only parameters, and later phases read of what they
  // wrote only `packed`. A plan that keeps this memory skips them while the parameters are
  // unchanged.
  virtual size_t packed_bytes() const { return 0; }
  virtual int packing_phases() const { return 0; }
  // The library's name of the code that runs, "jit:avx2"; empty: our own loop.
  virtual std::string implementation() const { return {}; }
  // Called before the first run with the number of threads, to make what each thread needs: a
  // thread may run a kernel for the first time in any step.
  virtual void prepare(int workers) const { (void)workers; }
};

// A kernel written as a list of phases.
class PhasedKernel : public Kernel {
 public:
  using Body = std::function<void(int task, const KernelArgs&)>;

  PhasedKernel& phase(int64_t tasks, Body body) {
    phases_.push_back({static_cast<int>(tasks), std::move(body)});
    return *this;
  }
  PhasedKernel& scratch(size_t bytes) {
    scratch_ = bytes;
    return *this;
  }
  PhasedKernel& worker_scratch(size_t bytes) {
    worker_scratch_ = bytes;
    return *this;
  }

  int phases() const override { return static_cast<int>(phases_.size()); }
  int tasks(int phase) const override { return phases_[static_cast<size_t>(phase)].tasks; }
  void run(int phase, int task, const KernelArgs& args) const override {
    phases_[static_cast<size_t>(phase)].body(task, args);
  }
  size_t scratch_bytes() const override { return scratch_; }
  size_t worker_scratch_bytes() const override { return worker_scratch_; }

 private:
  struct Phase {
    int tasks;
    Body body;
  };
  std::vector<Phase> phases_;
  size_t scratch_ = 0;
  size_t worker_scratch_ = 0;
};

inline std::unique_ptr<Kernel> one_phase(int64_t tasks, PhasedKernel::Body body) {
  auto kernel = std::make_unique<PhasedKernel>();
  kernel->phase(tasks, std::move(body));
  return kernel;
}

// A range of elements for each task: long enough to be efficient, and cut by the count alone.
struct Chunks {
  int64_t count;
  int64_t size = 16384;

  int tasks() const { return static_cast<int>(divide_up(count, size)); }
  int64_t begin(int task) const { return task * size; }
  int64_t length(int task) const { return std::min(size, count - task * size); }
};

}  // namespace convoy
