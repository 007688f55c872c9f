// Batches made ahead of time by worker threads, delivered in order. What a batch holds is a pure
// function of (seed, plan, step): not of the number of workers, nor of where the run started.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "data/augment/augment_chain.h"
#include "data/dataset.h"
#include "data/loading/batch.h"
#include "data/loading/epoch_plan.h"
#include "data/mixing/mixing.h"

namespace convoy {

// What is done about a sample that is no image.
enum class BadSamples {
  refuse,     // the batch is not made: its error is the loader's
  replace,    // the next sample of the dataset stands in, and Batch::bad tells
  leave_out,  // zeros of weight 0, and Batch::bad tells
};

struct LoaderSpec {
  int64_t batch = 0;  // samples per delivered batch
  // A step of the plan is delivered as this many batches in a row, part p being its samples
  // [offset + p * batch, offset + (p + 1) * batch): the micro-batches of the replicas of this
  // process and of gradient accumulation.
  int64_t parts = 1;
  int64_t offset = 0;
  // So many rows of parts are delivered side by side: the first part of each, then the second …
  int64_t rows = 1;
  int64_t first_step = 0, last_step = 0;  // steps [first, last) are delivered
  int64_t stride = 1;                     // of these only every so many
  uint64_t seed = 0;
  bool shuffle = true;
  int workers = 0;   // 0: one for every four cores; never more than `prefetch`
  int prefetch = 3;  // batches made ahead of the one in use
  BadSamples bad = BadSamples::refuse;
  bool bytes = false;   // images stay u8 (data/loading/batch.h); the chain must keep bytes
  int64_t max_bad = 0;  // of an epoch; for whoever takes the batches and counts
  const SampleForm* form = nullptr;  // what becomes of samples; null: their own tensors
  Mixing mixing = {};                // adds its tensors to the batches
  int64_t micro_batch = 0;  // what is mixed with one another; 0: the batch, which it divides
};

// The threads of a loader: as asked, or one for every four cores; without regard to `prefetch`.
int worker_count(const LoaderSpec& spec);

// Of the images in its batches.
inline DType pixel_type(const LoaderSpec& spec) { return spec.bytes ? DType::u8 : DType::f32; }

// What its batches of a dataset's samples hold.
TensorList loader_tensors(const LoaderSpec& spec, const Dataset& dataset);

class Loader {
 public:
  // Borrows dataset and chain, which must outlive it. The plan's batch has room for offset and
  // parts; a plan with short steps has one part. Starts working at once, in constant time.
  Loader(const Dataset& dataset, const AugmentChain& chain, const EpochPlan& plan,
         const LoaderSpec& spec);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // The next batch, valid until the next call. Blocks until it is made. What a worker threw for
  // this batch is thrown here, and again on every further call. Only while !done(). Allocates
  // nothing.
  const Batch& next();

  // Whether all steps have been delivered.
  bool done() const { return delivered_ == total_; }

  // Starts again with steps [first, last): the threads and buffers stay, the last batch is given
  // up.
  void restart(int64_t first_step, int64_t last_step);

  // Time spent blocked in next() so far: how much faster the loader should have been.
  double wait_seconds() const { return wait_seconds_; }
  int workers() const { return static_cast<int>(threads_.size()); }

 private:
  struct Slot {
    explicit Slot(const TensorList& types) : batch(types) {}
    Batch batch;
    int64_t made = -1;  // the number of the batch it holds
    std::exception_ptr failure;
  };

  // What a worker reads a sample into.
  struct Place {
    explicit Place(size_t bytes) : memory(bytes) {}
    Arena memory;  // the image's bytes, then the chain's scratch
    Sample sample;
  };

  void work(Place& place);
  void fill(int64_t number, Batch& batch, Place& place) const;
  bool read(int64_t index, uint64_t key, uint8_t* pixels, Sample& sample, Batch& batch) const;
  void leave_blank(Sample& sample, uint8_t* pixels) const;
  // Sample `i` of a batch, as it was read.
  void write(Sample& sample, uint64_t key, Place& place, Batch& batch, int64_t i) const;
  // What of the batch, the samples of the step from `first` on, is mixed with what.
  void mix(int64_t step, int64_t first, Batch& batch) const;
  size_t pixel_bytes() const;
  void shut_down();
  Slot& slot(int64_t number) { return ring_[static_cast<size_t>(number) % ring_.size()]; }

  const Dataset& dataset_;
  const AugmentChain& chain_;
  EpochPlan plan_;
  LoaderSpec spec_;
  TensorList tensors_;  // of a sample in a batch

  std::deque<Slot> ring_;     // batch b lives in slot b modulo the ring; one is the consumer's
  std::deque<Place> places_;  // one for each worker
  std::mutex mutex_;
  std::condition_variable work_;   // a worker may find something to do
  std::condition_variable ready_;  // the consumer may find what it waits for
  int64_t total_ = 0;              // batches in all
  int64_t claimed_ = 0;            // batches that a worker has taken on
  int64_t delivered_ = 0;          // batches that next() has returned
  int64_t released_ = 0;           // batches that the caller has given back
  int busy_ = 0;                   // workers inside fill()
  bool hold_ = false;              // no new batches: a failure, or a restart under way
  bool stop_ = false;
  double wait_seconds_ = 0;
  std::vector<std::thread> threads_;
};

// The plan that sees each sample once, in the dataset's order, the last batch filled up with
// padding: for evaluation, with LoaderSpec{.batch, .last_step = plan.total_steps(), .shuffle =
// false}.
inline EpochPlan evaluation_plan(int64_t samples, int64_t batch) {
  return EpochPlan(samples, batch, 1, EpochTail::short_);
}

}  // namespace convoy
