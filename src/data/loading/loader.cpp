#include "data/loading/loader.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "base/clock.h"
#include "base/random.h"
#include "base/threads/cores.h"
#include "base/threads/thread_pool.h"
#include "data/loading/order.h"
#include "kernels/cast.h"

namespace convoy {
namespace {

// One worker makes at least 100,000 CIFAR images per second, more than four cores train on.
constexpr int cores_per_worker = 4;

// Adds advice to the error of a bad picture: how to find others, and how to continue without them.
[[noreturn]] void refuse_bad(std::string_view reason) {
  const bool has_advice = reason.find("; try: ") != reason.npos;
  raise(
      Fault::data,
      "{}{}convoy check FOLDER, which finds all that are broken, or --max-bad 10, with which 10 of "
      "an epoch may be",
      reason, has_advice ? ", or " : "; try: ");
}

}  // namespace

int worker_count(const LoaderSpec& spec) {
  return spec.workers > 0 ? spec.workers : std::max(1, available_cores() / cores_per_worker);
}

TensorList loader_tensors(const LoaderSpec& spec, const Dataset& dataset) {
  TensorList types = batch_tensors(spec.batch, dataset.image_shape(), pixel_type(spec),
                                   spec.form ? spec.form->tensors() : dataset.tensors());
  if (spec.mixing.on()) {
    for (auto& type : mixing_tensors(spec.batch)) types.push_back(std::move(type));
  }
  return types;
}

Loader::Loader(const Dataset& dataset, const AugmentChain& chain, const EpochPlan& plan,
               const LoaderSpec& spec)
    : dataset_(dataset),
      chain_(chain),
      plan_(plan),
      spec_(spec),
      tensors_(spec.form ? spec.form->tensors() : dataset.tensors()) {
  expect(spec.batch > 0 && spec.parts > 0 && spec.prefetch > 0 && spec.workers >= 0,
         "an empty loader");
  expect(0 <= spec.offset && spec.offset + spec.batch * spec.parts <= plan.batch(),
         "the parts are more than the plan's batch");
  expect(chain.image() == dataset.image_shape(), "the augmentations are made for another image");
  expect(dataset.image_type() == DType::u8 || (chain.needs_bytes().empty() && !spec.bytes),
         "images of floats where bytes are needed");
  expect(plan.dataset_samples() == dataset.size(), "the plan is made for another dataset");
  expect(plan.tail() != EpochTail::short_ || spec.parts == 1,
         "a short step cannot be cut into parts");
  expect(0 <= spec.first_step && spec.first_step <= spec.last_step, "steps run backwards");
  expect(!spec.bytes || chain.keeps_bytes(), "augmentations that need floats");
  expect(spec.stride > 0 && spec.rows > 0 && spec.blocks > 0 &&
             spec.parts % (spec.rows * spec.blocks) == 0,
         "steps that go on");
  if (spec.form && !chain.distorts().empty()) {
    raise(Fault::usage, "{} distorts images, and boxes cannot follow; try: --augment without it",
          chain.distorts());
  }
  if (spec.form && spec.mixing.on()) {
    raise(Fault::usage,
          "mixup and cutmix mix labels, and these samples have boxes; try: without "
          "--mixup-alpha and --cutmix-alpha");
  }
  expect(!spec.mosaic.on() || (spec.form && dataset.has_objects()), "mosaics of objects");
  total_ = divide_up(spec.last_step - spec.first_step, spec.stride) * spec.parts;
  if (spec_.micro_batch == 0) spec_.micro_batch = spec.batch;
  expect(spec.batch % spec_.micro_batch == 0 && spec.offset % spec_.micro_batch == 0,
         "whole micro-batches");
  const auto types = loader_tensors(spec, dataset);
  for (int i = 0; i < spec.prefetch + 1; ++i) ring_.emplace_back(types);
  for (int i = 0; i < std::min(worker_count(spec), spec.prefetch); ++i) {
    const size_t floats = spec.bf16 ? float_bytes(chain.image().count()) : 0;
    places_.emplace_back(image_bytes() + scratch_bytes() + floats);
    if (spec.mosaic.on()) places_.back().mosaics.emplace(dataset);
  }
  try {
    for (Place& place : places_) {
      threads_.emplace_back(
          [this, &place, worker = std::ssize(threads_)] { work(static_cast<int>(worker), place); });
    }
  } catch (...) {  // no more threads available: those that run must not outlive this object
    shut_down();
    throw;
  }
}

Loader::~Loader() { shut_down(); }

void Loader::shut_down() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

const Batch& Loader::next() {
  std::unique_lock lock(mutex_);
  expect(delivered_ < total_, "a batch beyond the last");
  if (released_ < delivered_) {  // release the batch of the last call
    released_ = delivered_;
    work_.notify_one();
  }
  Slot& wanted = slot(delivered_);
  if (wanted.made != delivered_) {
    const auto start = std::chrono::steady_clock::now();
    ready_.wait(lock, [&] { return wanted.made == delivered_; });
    wait_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  if (wanted.failure) std::rethrow_exception(wanted.failure);
  ++delivered_;
  return wanted.batch;
}

void Loader::restart(int64_t first_step, int64_t last_step) {
  expect(0 <= first_step && first_step <= last_step, "steps run backwards");
  std::unique_lock lock(mutex_);
  hold_ = true;
  ready_.wait(lock, [&] { return busy_ == 0; });
  for (Slot& each : ring_) {
    each.made = -1;
    each.failure = nullptr;
  }
  spec_.first_step = first_step;
  spec_.last_step = last_step;
  total_ = divide_up(last_step - first_step, spec_.stride) * spec_.parts;
  claimed_ = delivered_ = released_ = 0;
  hold_ = false;
  work_.notify_all();
}

void Loader::time_batches(Times hook) {
  const std::lock_guard lock(mutex_);
  times_ = std::move(hook);
}

void Loader::work(int worker, Place& place) {
  flush_subnormals();
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] {
      const int64_t limit = std::min(total_, released_ + static_cast<int64_t>(ring_.size()));
      return stop_ || (!hold_ && claimed_ < limit);
    });
    if (stop_) return;
    const int64_t number = claimed_++;
    ++busy_;
    lock.unlock();
    std::exception_ptr failure;
    const double begin = steady_seconds();
    try {
      fill(number, slot(number).batch, place);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --busy_;
    if (times_) times_(worker, number, begin, steady_seconds());
    // Batches are claimed in order, so all batches before a failed one still arrive; none after it
    // is started.
    if (failure) hold_ = true;
    slot(number).failure = failure;
    slot(number).made = number;
    ready_.notify_one();
  }
}

// Writes zeros for a sample that could not be decoded.
void Loader::leave_blank(Sample& sample, std::byte* image) const {
  sample.begin(image, dataset_.image_type());
  std::memset(image, 0, stored_bytes(dataset_.image()));
  for (const auto& [name, type] : dataset_.tensors()) sample.add_zeros(name, type);
}

size_t Loader::image_bytes() const {
  return static_cast<size_t>(round_up(static_cast<int64_t>(stored_bytes(dataset_.image())),
                                      static_cast<int64_t>(Arena::alignment)));
}

void Loader::read_one(int64_t index, const ReadKeys& keys, Place& place) const {
  place.sample.begin(place.memory.data(), dataset_.image_type());
  if (keys.mosaic) {
    place.mosaics->read(index, *keys.mosaic, place.sample);
  } else {
    dataset_.read(index, keys.view, place.sample);
  }
}

size_t Loader::scratch_bytes() const {
  return static_cast<size_t>(round_up(static_cast<int64_t>(chain_.scratch_bytes()),
                                      static_cast<int64_t>(Arena::alignment)));
}

bool Loader::read(int64_t index, const ReadKeys& keys, Place& place, Batch& batch) const {
  if (spec_.bad == BadSamples::refuse) {
    try {
      read_one(index, keys, place);
    } catch (const Error& error) {
      if (error.fault() != Fault::data) throw;
      refuse_bad(error.what());
    }
    return true;
  }
  // If that many samples in a row are bad, the cause is not the samples.
  constexpr int64_t most = 100;
  const size_t before = batch.bad.size();  // bad samples of this batch that were replaced
  for (int64_t i = 0; i < std::min(most, dataset_.size()); ++i) {
    const int64_t instead = (index + i) % dataset_.size();
    try {
      read_one(instead, keys, place);
      return true;
    } catch (const Error& error) {
      if (error.fault() != Fault::data) throw;
      batch.bad.push_back({instead, dataset_.origin(instead), error.what()});
    }
    if (spec_.bad == BadSamples::leave_out) return false;
  }
  raise(Fault::data, "{} images one after another cannot be read, the first being {}",
        batch.bad.size() - before, batch.bad[before].reason);
}

void Loader::mix(int64_t step, int64_t first, Batch& batch) const {
  const int64_t micro = spec_.micro_batch;
  for (int64_t at = 0; at < batch.valid; at += micro) {
    // By the micro-batch's index in the step, not by the rank that makes it.
    const uint64_t key = random_key(spec_.seed, Purpose::mixing, static_cast<uint64_t>(step),
                                    static_cast<uint64_t>((first + at) / micro));
    spec_.mixing.draw(
        key, std::min(micro, batch.valid - at), chain_.image(), batch.data<int32_t>("label") + at,
        {batch.data<int32_t>("mix_source") + at * 4, batch.data<int32_t>("mix_box") + at * 4,
         batch.data<float>("mix_share") + at * 4, batch.data<float>("mix_weight") + at * 4,
         batch.data<int32_t>("mix_label") + at});
  }
}

void Loader::write(Sample& sample, uint64_t key, Place& place, Batch& batch, int64_t i) const {
  const int64_t image_size = chain_.image().count();
  std::byte* scratch = place.memory.data() + image_bytes();
  if (spec_.bytes) {
    chain_.run_bytes(sample.pixels(), batch.data<uint8_t>("image") + i * image_size, key, scratch);
  } else if (spec_.bf16) {
    auto* floats = reinterpret_cast<float*>(scratch + scratch_bytes());
    chain_.run(sample, floats, key, scratch);
    kernels::f32_to_bf16(floats, batch.data<uint16_t>("image") + i * image_size, image_size);
  } else {
    chain_.run(sample, batch.data<float>("image") + i * image_size, key, scratch);
  }
  if (spec_.form) {
    chain_.follow(key, sample.geometry);
    return spec_.form->write(sample, batch, i);
  }
  for (const auto& [name, type] : tensors_) {
    const SampleTensor* tensor = sample.find(name);
    expect(tensor && tensor->type == type, "a sample with the tensors of its dataset");
    std::memcpy(batch.find(name)->data + static_cast<size_t>(i) * tensor->bytes.size(),
                tensor->bytes.data(), tensor->bytes.size());
  }
}

void Loader::fill(int64_t number, Batch& batch, Place& place) const {
  const int64_t step = spec_.first_step + number / spec_.parts * spec_.stride;
  const int64_t block = spec_.parts / spec_.blocks, in_row = block / spec_.rows;
  const int64_t turn = number % block, before = number % spec_.parts - turn;
  const int64_t part = before + turn % spec_.rows * in_row + turn / spec_.rows;
  const int64_t first = spec_.offset + part * spec_.batch;
  std::byte* image = place.memory.data();
  auto* weight = batch.data<float>("weight");
  auto* key = batch.data<int64_t>("key");

  batch.bad.clear();
  if (spec_.form) batch.details.resize(static_cast<size_t>(spec_.batch));
  for (std::vector<double>& details : batch.details) details.clear();
  batch.valid = std::min(spec_.batch, plan_.count(step) - first);
  batch.first = plan_.at(step, first).index;
  // Stores the sample indices in `key` for now, so that all are announced before the first read.
  int64_t epoch = -1;
  std::optional<Order> order;
  for (int64_t i = 0; i < batch.valid; ++i) {
    const Position position = plan_.at(step, first + i);
    if (position.epoch != epoch) {
      epoch = position.epoch;
      order.emplace(plan_.dataset_samples(), spec_.shuffle_seed.value_or(spec_.seed), epoch,
                    spec_.shuffle, dataset_.run_length());
    }
    key[i] = (*order)[position.index];
    dataset_.announce_read(key[i]);
  }
  for (int64_t i = 0; i < batch.valid; ++i) {
    const int64_t sample = key[i];
    const Position position = plan_.at(step, first + i);
    const auto keyed = [&](Purpose purpose) {
      const uint64_t seed = purpose == Purpose::view      ? spec_.crop_seed.value_or(spec_.seed)
                            : purpose == Purpose::augment ? spec_.augment_seed.value_or(spec_.seed)
                                                          : spec_.seed;
      const uint64_t first_copy = random_key(seed, purpose, static_cast<uint64_t>(position.epoch),
                                             static_cast<uint64_t>(sample));
      if (position.copy == 0) return first_copy;
      return random_key(first_copy, purpose, static_cast<uint64_t>(position.copy));
    };
    key[i] = static_cast<int64_t>(keyed(Purpose::batch_key));
    ReadKeys keys{.view = keyed(Purpose::view), .mosaic = {}};
    if (const uint64_t own = keyed(Purpose::mosaic); spec_.mosaic.picks(position.epoch, own)) {
      keys.mosaic = own;
    }
    weight[i] = read(sample, keys, place, batch) ? 1 : 0;
    if (weight[i] == 0) leave_blank(place.sample, image);
    write(place.sample, keyed(Purpose::augment), place, batch, i);
  }
  if (spec_.mixing.on()) mix(step, first, batch);
  for (const NamedTensor& tensor : batch.tensors()) {
    const size_t each = stored_bytes(tensor.type) / static_cast<size_t>(spec_.batch);
    std::memset(tensor.data + each * static_cast<size_t>(batch.valid), 0,
                each * static_cast<size_t>(spec_.batch - batch.valid));
  }
}

}  // namespace convoy
