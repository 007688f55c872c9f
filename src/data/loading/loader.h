// Makes batches ahead of time in worker threads and delivers them in order. The content of a batch
// follows from the dataset, the options and the step alone: not from the number of workers, nor
// from the step at which the run was resumed. One thread, the consumer, calls the loader; dataset
// and chain are read by all workers at once.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "data/augment/augment_chain.h"
#include "data/dataset.h"
#include "data/loading/batch.h"
#include "data/loading/epoch_plan.h"
#include "data/mixing/mixing.h"
#include "data/mixing/mosaic.h"

namespace convoy {

// What to do with a sample that cannot be decoded.
enum class BadSamples {
  refuse,     // the batch fails with the error of the sample
  replace,    // the next readable one by index takes its place; the bad one is in Batch::bad
  leave_out,  // pixels and tensors of zeros (before augmentation), weight 0; it is in Batch::bad
};

struct LoaderSpec {
  int64_t batch = 0;  // samples per delivered batch
  // A step of `EpochPlan` is delivered as this many batches: the micro-batches of this process.
  // Part p has the samples [offset + p * batch, offset + (p + 1) * batch) of the step.
  int64_t parts = 1;
  int64_t offset = 0;
  // In lockstep: the replicas that run together. Replica r of a block has the parts
  // [r * parts / rows, (r + 1) * parts / rows) of it; delivered are the first part of every
  // replica, then the second of every replica, and so on. 1: the parts in their order.
  int64_t rows = 1;
  // The parts are this many blocks, one after another, each of that many rows.
  int64_t blocks = 1;
  int64_t first_step = 0, last_step = 0;  // delivers the steps [first, last)
  int64_t stride = 1;  // only every stride-th of them: ranks that take turns in an evaluation
  uint64_t seed = 0;
  // In place of `seed`, of the order, of the views, and of the augmentations.
  std::optional<uint64_t> shuffle_seed = {}, crop_seed = {}, augment_seed = {};
  bool shuffle = true;
  int workers = 0;   // threads; 0: one per four cores. Never more than `prefetch`
  int prefetch = 3;  // batches made ahead of the current one
  BadSamples bad = BadSamples::refuse;
  bool bytes = false;   // images are u8 (data/loading/batch.h); needs AugmentChain::keeps_bytes
  bool bf16 = false;    // images are rounded to bf16
  int64_t max_bad = 0;  // bad samples allowed per epoch; the caller counts them, not the loader
  const SampleForm* form = nullptr;  // converts samples into batch tensors; null: their own tensors
  Mixing mixing = {};                // adds its tensors to the batches
  MosaicRule mosaic = {};            // samples with objects only
  // Images are mixed within groups of this size, which must divide `batch` and `offset`; 0:
  // `batch`.
  int64_t micro_batch = 0;
};

// The threads of a loader: the option's, or one per four cores; `prefetch` is not considered.
int worker_count(const LoaderSpec& spec);

// The type of the images in its batches.
inline DType pixel_type(const LoaderSpec& spec) {
  return spec.bytes ? DType::u8 : spec.bf16 ? DType::bf16 : DType::f32;
}

// The tensors of a batch that a loader with `spec` makes from `dataset`.
TensorList loader_tensors(const LoaderSpec& spec, const Dataset& dataset);

class Loader {
 public:
  // Borrows dataset, chain and `spec.form`, which must outlive it. All parts must lie within the
  // plan's batch; with a plan that has short steps, `parts` is 1 and `offset` 0. Workers start at
  // once; this does not wait for a batch.
  Loader(const Dataset& dataset, const AugmentChain& chain, const EpochPlan& plan,
         const LoaderSpec& spec);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Returns the next batch, valid until the next call. Blocks until it is made. An exception of a
  // worker in this batch is thrown here, and again on every further call. Only while !done().
  // Allocates nothing.
  const Batch& next();

  // Whether all steps have been delivered.
  bool done() const { return delivered_ == total_; }

  // Starts again with the steps [first_step, last_step). Keeps threads and buffers; the batch that
  // `next` returned last becomes invalid.
  void restart(int64_t first_step, int64_t last_step);

  // Sets a hook that worker threads call when they have made a batch: the worker, the batch's
  // number, begin and end in `steady_seconds`. It is called with the loader's lock held: it must be
  // short and must not call the loader. Empty: none. After this returns, the former hook is not
  // called any more.
  using Times = std::function<void(int worker, int64_t batch, double begin, double end)>;
  void time_batches(Times hook);

  // The time spent blocked in next() so far.
  double wait_seconds() const { return wait_seconds_; }
  int workers() const { return static_cast<int>(threads_.size()); }

 private:
  struct Slot {
    explicit Slot(const TensorList& types) : batch(types) {}
    Batch batch;
    int64_t made = -1;  // the number of the batch in it
    std::exception_ptr failure;
  };

  // The memory into which a worker reads a sample.
  struct Place {
    explicit Place(size_t bytes) : memory(bytes) {}
    Arena memory;  // the image, the chain's scratch, then the image as floats if it is rounded
    Sample sample;
    std::optional<MosaicMaker> mosaics;  // where the rule asks for them
  };

  void work(int worker, Place& place);
  void fill(int64_t number, Batch& batch, Place& place) const;
  // What a sample is read with: the key of its view, and that of its mosaic if it is one.
  struct ReadKeys {
    uint64_t view;
    std::optional<uint64_t> mosaic;
  };
  void read_one(int64_t index, const ReadKeys& keys, Place& place) const;
  // Reads the sample or, with BadSamples::replace, another one; false: it is to be left out.
  bool read(int64_t index, const ReadKeys& keys, Place& place, Batch& batch) const;
  void leave_blank(Sample& sample, std::byte* image) const;
  // Writes sample `i` of a batch from what was read.
  void write(Sample& sample, uint64_t key, Place& place, Batch& batch, int64_t i) const;
  // Draws the mixing of the batch; its samples begin at `first` in the step.
  void mix(int64_t step, int64_t first, Batch& batch) const;
  size_t image_bytes() const;
  size_t scratch_bytes() const;
  void shut_down();
  Slot& slot(int64_t number) { return ring_[static_cast<size_t>(number) % ring_.size()]; }

  const Dataset& dataset_;
  const AugmentChain& chain_;
  EpochPlan plan_;
  LoaderSpec spec_;
  TensorList tensors_;  // of one sample, as they are in a batch

  std::deque<Slot> ring_;     // batch b is in slot b modulo the ring's size; one is the consumer's
  std::deque<Place> places_;  // one per worker
  std::mutex mutex_;
  std::condition_variable work_;   // work may be available for a worker
  std::condition_variable ready_;  // a batch is made: the consumer's, or the last before a restart
  int64_t total_ = 0;              // all batches to deliver; these four count from the last restart
  int64_t claimed_ = 0;            // batches started by a worker
  int64_t delivered_ = 0;          // batches returned by next()
  int64_t released_ = 0;           // batches that the caller no longer uses
  int busy_ = 0;                   // workers inside fill()
  bool hold_ = false;              // start no batch: after a failure or during a restart
  bool stop_ = false;
  Times times_;
  double wait_seconds_ = 0;
  std::vector<std::thread> threads_;
};

// The plan of an evaluation: each sample once, with padding in the last batch. The plan does not
// determine the order: LoaderSpec{.batch, .last_step = plan.total_steps(), .shuffle = false} gives
// that of the dataset.
inline EpochPlan evaluation_plan(int64_t samples, int64_t batch) {
  return EpochPlan(samples, batch, 1, EpochTail::short_);
}

}  // namespace convoy
