#include "data/loading/loader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "base/random.h"
#include "base/threads/thread_pool.h"
#include "data/loading/order.h"
#include "support/raises.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::NumberedDataset;

const AugmentOptions settings{.own = {{"crop-padding", "2"}}, .mean = {0.5}, .std = {0.25}};

AugmentChain training_chain(const Dataset& set) {
  return AugmentChain({"pad-crop", "flip", "mean-std"}, settings, set.image_shape());
}

// All bytes of a batch, to compare.
std::string bytes_of(const Batch& batch) {
  std::string all = std::to_string(batch.valid);
  for (const NamedTensor& tensor : batch.tensors()) {
    all.append(reinterpret_cast<const char*>(tensor.data), stored_bytes(tensor.type));
  }
  return all;
}

std::vector<std::string> deliver(const Dataset& set, const EpochPlan& plan,
                                 const LoaderSpec& spec) {
  const AugmentChain chain = training_chain(set);
  Loader loader(set, chain, plan, spec);
  std::vector<std::string> batches;
  while (!loader.done()) batches.push_back(bytes_of(loader.next()));
  return batches;
}

TEST(Loader, MakesTheBatchesThatPlanOrderAndKeysSay) {
  const NumberedDataset set(23);
  const EpochPlan plan(23, 8, 3, EpochTail::carry);
  const AugmentChain chain = training_chain(set);
  Loader loader(set, chain, plan, {.batch = 4, .parts = 2, .last_step = 8, .seed = 11});
  std::vector<uint8_t> pixels(60);
  std::vector<float> image(60);
  std::vector<std::byte> scratch(chain.scratch_bytes());
  for (int64_t step = 0; step < 8; ++step) {
    for (int64_t part = 0; part < 2; ++part) {
      const Batch& batch = loader.next();
      ASSERT_EQ(batch.valid, 4);
      for (int64_t i = 0; i < 4; ++i) {
        const Position position = plan.at(step, part * 4 + i);
        const int64_t sample = Order(23, 11, position.epoch, true)[position.index];
        const auto epoch = static_cast<uint64_t>(position.epoch),
                   number = static_cast<uint64_t>(sample);
        int32_t label = -1;
        test::read_labelled(set, sample, 0, pixels.data(), label);
        chain.run(pixels.data(), image.data(), random_key(11, Purpose::augment, epoch, number),
                  scratch.data());
        ASSERT_EQ(std::memcmp(batch.data<float>("image") + i * 60, image.data(), 240), 0);
        ASSERT_EQ(batch.data<int32_t>("label")[i], label);
        ASSERT_EQ(batch.data<float>("weight")[i], 1);
        ASSERT_EQ(static_cast<uint64_t>(batch.data<int64_t>("key")[i]),
                  random_key(11, Purpose::batch_key, epoch, number));
      }
    }
  }
  EXPECT_TRUE(loader.done());
  test::expect_raises(Fault::bug, {"beyond the last"}, [&] { loader.next(); });
}

TEST(Loader, AugmentsEveryCopyOfASampleAnew) {
  const NumberedDataset set(300);
  const EpochPlan plan(300, 12, 1, EpochTail::drop, {3, 2});
  const AugmentChain chain = training_chain(set);
  Loader loader(set, chain, plan, {.batch = 12, .last_step = plan.total_steps(), .seed = 11});
  std::set<int64_t> keys;
  std::set<std::string> images;
  while (!loader.done()) {
    const Batch& batch = loader.next();
    for (int64_t i = 0; i < 12; ++i) {
      keys.insert(batch.data<int64_t>("key")[i]);
      images.emplace(reinterpret_cast<const char*>(batch.data<float>("image") + i * 60), 240);
    }
  }
  EXPECT_EQ(keys.size(), 252u);       // 21 steps of 12
  EXPECT_GT(images.size(), 84u * 2);  // of 84 samples; two draws may agree
}

TEST(Loader, GivesTheSameForAnyNumberOfWorkersAndFromAnyStep) {
  const NumberedDataset set(101);
  for (const EpochTail tail : {EpochTail::carry, EpochTail::drop, EpochTail::short_}) {
    const int64_t parts = tail == EpochTail::short_ ? 1 : 3;
    const EpochPlan plan(101, 8 * parts, 4, tail);
    const LoaderSpec spec{
        .batch = 8, .parts = parts, .last_step = plan.total_steps(), .seed = 5, .workers = 1};
    const auto all = deliver(set, plan, spec);
    ASSERT_EQ(static_cast<int64_t>(all.size()), plan.total_steps() * parts);
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
    for (const int workers : {2, 5}) {
      for (const int prefetch : {1, 3, 7}) {
        LoaderSpec other = spec;
        other.workers = workers;
        other.prefetch = prefetch;
        EXPECT_EQ(deliver(set, plan, other), all);
        other.first_step = plan.total_steps() / 2;
        const auto half = deliver(set, plan, other);
        EXPECT_EQ(half,
                  std::vector<std::string>(all.begin() + other.first_step * parts, all.end()));
      }
    }
  }
}

// What a process of several gets: some of the parts of every step, some of the steps, or the parts
// in another order.
TEST(Loader, GivesPartsOfAStepAndEverySoManySteps) {
  const NumberedDataset set(101);
  const EpochPlan plan(101, 24, 4, EpochTail::carry);
  const LoaderSpec whole{.batch = 4, .parts = 6, .last_step = plan.total_steps(), .seed = 5};
  const auto all = deliver(set, plan, whole);
  const auto part_of = [&](size_t step, size_t part) { return all[step * 6 + part]; };
  const auto steps = static_cast<size_t>(plan.total_steps());

  LoaderSpec some = whole;
  some.offset = 8;
  some.parts = 4;
  some.rows = 2;
  const auto rows = deliver(set, plan, some);
  ASSERT_EQ(rows.size(), steps * 4);
  for (size_t step = 0; step < steps; ++step) {
    const std::vector<size_t> order{2, 4, 3, 5};
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(rows[step * 4 + i], part_of(step, order[i]));
  }
  // Two blocks of two rows: 8 parts of a plan of 32.
  const EpochPlan longer(101, 32, 4, EpochTail::carry);
  LoaderSpec blocks{.batch = 4, .parts = 8, .last_step = longer.total_steps(), .seed = 5};
  const auto plain = deliver(set, longer, blocks);
  blocks.rows = 2;
  blocks.blocks = 2;
  const auto in_turn = deliver(set, longer, blocks);
  ASSERT_EQ(in_turn.size(), plain.size());
  const std::vector<size_t> order{0, 2, 1, 3, 4, 6, 5, 7};
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(in_turn[i], plain[i / 8 * 8 + order[i % 8]]);
  LoaderSpec third = whole;
  third.first_step = 1;
  third.stride = 3;
  const auto every = deliver(set, plan, third);
  ASSERT_EQ(every.size(), (steps - 1 + 2) / 3 * 6);
  for (size_t i = 0; i < every.size(); ++i) {
    EXPECT_EQ(every[i], part_of(1 + i / 6 * 3, i % 6));
  }
}

TEST(Loader, BytesBecomeTheSameFloatsByTheChainsTables) {
  const NumberedDataset set(23);
  const AugmentChain chain = training_chain(set);
  const EpochPlan plan(23, 8, 3, EpochTail::carry);
  LoaderSpec spec{.batch = 4, .parts = 2, .last_step = plan.total_steps(), .seed = 11};
  Loader floats(set, chain, plan, spec);
  spec.bytes = true;
  for (const int workers : {1, 3}) {
    spec.workers = workers;
    Loader bytes(set, chain, plan, spec);
    while (!bytes.done()) {
      const Batch &batch = bytes.next(), &other = floats.next();
      ASSERT_EQ(batch.find("image")->type.dtype, DType::u8);
      for (size_t i = 0; i < 240; ++i) {
        const uint8_t pixel = batch.data<uint8_t>("image")[i];
        ASSERT_EQ(chain.tables()[i / 30 % 2 * 256 + pixel], other.data<float>("image")[i]) << i;
      }
      for (const char* name : {"label", "weight", "key"}) {
        ASSERT_EQ(std::memcmp(batch.find(name)->data, other.find(name)->data,
                              stored_bytes(batch.find(name)->type)),
                  0);
      }
    }
    floats.restart(0, plan.total_steps());
  }
  const AugmentChain needs_floats({"standardise"}, settings, set.image_shape());
  test::expect_raises(Fault::bug, {"need floats"}, [&] { Loader(set, needs_floats, plan, spec); });
}

TEST(Loader, EvaluationCountsEachSampleExactlyOnce) {
  for (const int64_t size : {1, 7, 8, 9, 40, 101}) {
    const NumberedDataset set(size);
    const AugmentChain chain({"mean-std"}, settings, set.image_shape());
    const EpochPlan plan = evaluation_plan(size, 8);
    Loader loader(set, chain, plan,
                  {.batch = 8, .last_step = plan.total_steps(), .shuffle = false, .workers = 2});
    for (int round = 0; round < 2; ++round) {
      int64_t sample = 0;
      double weights = 0;
      while (!loader.done()) {
        const Batch& batch = loader.next();
        EXPECT_EQ(batch.valid, std::min<int64_t>(8, size - sample));
        for (int64_t i = 0; i < 8; ++i) {
          const bool real = i < batch.valid;
          weights += batch.data<float>("weight")[i];
          EXPECT_EQ(batch.data<float>("weight")[i], real ? 1 : 0);
          EXPECT_EQ(batch.data<int32_t>("label")[i], real ? sample % 7 : 0);
          const float first =
              static_cast<float>((static_cast<uint8_t>(sample * 31) / 255.0 - 0.5) / 0.25);
          EXPECT_EQ(batch.data<float>("image")[i * 60], real ? first : 0);
          if (!real) {
            EXPECT_EQ(batch.data<float>("image")[i * 60 + 59], 0);
          }
          sample += real;
        }
      }
      EXPECT_EQ(sample, size);
      EXPECT_EQ(weights, static_cast<double>(size));
      loader.restart(0, plan.total_steps());
    }
  }
}

TEST(Loader, RestartsAtAnotherStepAtAnyTime) {
  const NumberedDataset set(50);
  const EpochPlan plan(50, 5, 2, EpochTail::drop);
  const LoaderSpec spec{.batch = 5, .last_step = 20, .workers = 2};
  const auto all = deliver(set, plan, spec);
  const AugmentChain chain = training_chain(set);
  Loader loader(set, chain, plan, spec);
  for (const int64_t first : {3, 0, 19, 7}) {
    loader.restart(first, 20);
    for (int64_t step = first; step < std::min<int64_t>(first + 4, 20); ++step) {
      ASSERT_EQ(bytes_of(loader.next()), all[static_cast<size_t>(step)]) << first;
    }
  }
  loader.restart(5, 5);
  EXPECT_TRUE(loader.done());
}

TEST(Loader, HandsAWorkersErrorToTheCallerAtItsPlace) {
  for (const int workers : {1, 2, 5}) {
    const NumberedDataset set(100, {2, 6, 5}, 42);
    const AugmentChain chain = training_chain(set);
    const EpochPlan plan(100, 10, 1, EpochTail::drop);
    Loader loader(
        set, chain, plan,
        {.batch = 10, .last_step = 10, .shuffle = false, .workers = workers, .prefetch = 6});
    for (int i = 0; i < 4; ++i) EXPECT_EQ(loader.next().valid, 10);  // those before it arrive
    for (int i = 0; i < 3; ++i) {
      test::expect_raises(Fault::data, {"sample 42 is broken"}, [&] { loader.next(); });
    }
    loader.restart(5, 10);  // what comes after it can still be had
    for (int i = 0; i < 5; ++i) EXPECT_EQ(loader.next().valid, 10);
  }
}

TEST(Loader, ShutsDownAtAnyTime) {
  const NumberedDataset set(1000);
  const AugmentChain chain = training_chain(set);
  const EpochPlan plan(1000, 20, 10, EpochTail::drop);
  for (int round = 0; round < 200; ++round) {
    Loader loader(set, chain, plan, {.batch = 20, .last_step = 500, .workers = 1 + round % 4});
    for (int i = 0; i < round % 9; ++i) loader.next();
  }
  const NumberedDataset broken(1000, {2, 6, 5}, 3);
  for (int round = 0; round < 50; ++round) {
    Loader loader(broken, chain, plan,
                  {.batch = 20, .last_step = 500, .shuffle = false, .workers = 3});
  }
}

TEST(Loader, MakesNoMoreAheadThanAskedAndReusesItsBuffers) {
  // Reads are counted: with everything prefetched and no batch taken, the workers must rest.
  struct Counting final : Dataset {
    mutable std::atomic<int64_t> reads{0};
    int64_t size() const override { return 1000; }
    Shape image_shape() const override { return {1, 2, 2}; }
    int classes() const override { return 1; }
    std::vector<std::string> class_names() const override { return {"x"}; }
    void read(int64_t, uint64_t, Sample& sample) const override {
      std::memset(sample.pixels(), 0, 4);
      sample.add_label(0);
      ++reads;
    }
  };
  const Counting set;
  const AugmentChain chain({}, settings, set.image_shape());
  const EpochPlan plan(1000, 10, 1, EpochTail::drop);
  std::set<const Batch*> buffers;
  {
    Loader loader(set, chain, plan, {.batch = 10, .last_step = 100, .workers = 3, .prefetch = 4});
    for (int64_t i = 1; i <= 50; ++i) {
      buffers.insert(&loader.next());
      EXPECT_LE(set.reads, (i + 4) * 10);
    }
    EXPECT_GE(loader.wait_seconds(), 0);
  }
  EXPECT_EQ(buffers.size(), 5u);
}

TEST(Loader, ItsThreadsMayRunOnAnyCoreThoughThoseThatComputeArePinned) {
  struct Watched final : Dataset {
    mutable std::mutex mutex;
    mutable std::set<std::vector<int>> cores;
    int64_t size() const override { return 100; }
    Shape image_shape() const override { return {1, 2, 2}; }
    int classes() const override { return 1; }
    std::vector<std::string> class_names() const override { return {"x"}; }
    void read(int64_t, uint64_t, Sample& sample) const override {
      std::memset(sample.pixels(), 0, 4);
      sample.add_label(0);
      const std::lock_guard lock(mutex);
      cores.insert(allowed_cores());
    }
  };
  const std::vector<int> allowed = allowed_cores();
  const auto threads = static_cast<int>(allowed.size());
  ThreadPool pool(threads, nullptr, cores_to_pin(threads));
  {
    const ThreadPool::CallerOnItsCore on_its_core(pool);
    pool.run(2 * threads, [](int, int) {});
  }
  const Watched set;
  const AugmentChain chain({}, settings, set.image_shape());
  const EpochPlan plan(100, 10, 1, EpochTail::drop);
  Loader loader(set, chain, plan, {.batch = 10, .last_step = 10, .workers = 3});
  while (!loader.done()) loader.next();
  const std::lock_guard lock(set.mutex);
  EXPECT_EQ(set.cores, std::set{allowed});
}

TEST(Loader, RefusesPartsThatDoNotFitThePlan) {
  const NumberedDataset set(20);
  const AugmentChain chain = training_chain(set);
  test::expect_raises(Fault::bug, {"parts"}, [&] {
    Loader(set, chain, EpochPlan(20, 8, 1, EpochTail::drop), {.batch = 4, .parts = 3});
  });
  test::expect_raises(Fault::bug, {"short step"}, [&] {
    Loader(set, chain, EpochPlan(20, 8, 1, EpochTail::short_), {.batch = 4, .parts = 2});
  });
}

// Every fifth sample is no image.
class WithBad final : public Dataset {
 public:
  int64_t size() const override { return 40; }
  Shape image_shape() const override { return {1, 2, 2}; }
  int classes() const override { return 40; }
  std::vector<std::string> class_names() const override { return std::vector<std::string>(40); }
  std::string origin(int64_t index) const override { return "file " + std::to_string(index); }
  void read(int64_t index, uint64_t, Sample& sample) const override {
    if (index % 5 == 0) raise(Fault::data, "file {} is broken", index);
    std::fill_n(sample.pixels(), 4, static_cast<uint8_t>(index));
    sample.add_label(static_cast<int32_t>(index));
  }
};

TEST(Loader, WhatIsNoImageIsReplacedLeftOutOrRefused) {
  const WithBad set;
  const AugmentChain chain({}, settings, set.image_shape());
  const EpochPlan plan = evaluation_plan(40, 8);
  LoaderSpec spec{.batch = 8, .last_step = 5, .shuffle = false};
  for (const int workers : {1, 3}) {
    spec.workers = workers;
    spec.bad = BadSamples::replace;
    Loader training(set, chain, plan, spec);
    spec.bad = BadSamples::leave_out;
    Loader evaluation(set, chain, plan, spec);
    for (int64_t step = 0; step < 5; ++step) {
      const Batch& batch = training.next();
      const Batch& counted = evaluation.next();
      std::vector<int64_t> bad;
      for (int64_t i = 0; i < 8; ++i) {
        const int64_t sample = step * 8 + i;
        const bool is_bad = sample % 5 == 0;
        if (is_bad) bad.push_back(sample);
        EXPECT_EQ(batch.data<int32_t>("label")[i], is_bad ? sample + 1 : sample);
        EXPECT_EQ(batch.data<float>("image")[i * 4],
                  static_cast<float>(is_bad ? sample + 1 : sample));
        EXPECT_EQ(batch.data<float>("weight")[i], 1);
        EXPECT_EQ(counted.data<float>("weight")[i], is_bad ? 0 : 1);
        EXPECT_EQ(counted.data<float>("image")[i * 4], is_bad ? 0 : static_cast<float>(sample));
      }
      for (const Batch* one : {&batch, &counted}) {
        ASSERT_EQ(one->bad.size(), bad.size());
        for (size_t i = 0; i < bad.size(); ++i) {
          EXPECT_EQ(one->bad[i].sample, bad[i]);
          EXPECT_EQ(one->bad[i].origin, "file " + std::to_string(bad[i]));
          EXPECT_NE(one->bad[i].reason.find("is broken"), std::string::npos);
        }
      }
    }
  }
  spec.bad = BadSamples::refuse;
  Loader strict(set, chain, plan, spec);
  test::expect_raises(Fault::data, {"file 0 is broken", "try: convoy check", "--max-bad 10"},
                      [&] { strict.next(); });
}

// Of 140 samples, the second alone is an image.
class NearlyAllBad final : public Dataset {
 public:
  int64_t size() const override { return 140; }
  Shape image_shape() const override { return {1, 2, 2}; }
  int classes() const override { return 2; }
  std::vector<std::string> class_names() const override { return {"a", "b"}; }
  std::string origin(int64_t index) const override { return "file " + std::to_string(index); }
  void read(int64_t index, uint64_t, Sample& sample) const override {
    if (index != 1) raise(Fault::data, "file {} is broken", index);
    std::fill_n(sample.pixels(), 4, uint8_t{1});
    sample.add_label(0);
  }
};

TEST(Loader, AHundredBadSamplesInARowEndTheRunAndTheFirstOfThemIsNamed) {
  const NearlyAllBad set;
  const AugmentChain chain({}, settings, set.image_shape());
  LoaderSpec spec{.batch = 4, .last_step = 1, .shuffle = false, .bad = BadSamples::replace};
  Loader loader(set, chain, evaluation_plan(140, 4), spec);
  // Sample 0 is replaced by sample 1, so the row begins at sample 2.
  test::expect_raises(Fault::data, {"100 images one after another", "first being file 2 is broken"},
                      [&] { loader.next(); });
}

}  // namespace
}  // namespace convoy
