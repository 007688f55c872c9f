#include "dist/gradient_exchange.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cast.h"
#include "kernels/sums.h"
#include "support/thread_world.h"

namespace convoy {
namespace {

// Gradients of a replica; `narrow`: numbers of bf16 in the first `narrow` places.
float leaf(int replica, int64_t i, int step, int64_t narrow) {
  const float value = std::sin(static_cast<float>(i * 7 + replica * 131 + step * 17)) / 3;
  return i < narrow ? std::round(value * 256) / 256 : value;
}

std::vector<float> sum_of(ReplicaRange range, int64_t floats, int step, int64_t narrow) {
  std::vector<float> rows(static_cast<size_t>(floats * range.count));
  for (int r = 0; r < range.count; ++r) {
    for (int64_t i = 0; i < floats; ++i) {
      rows[static_cast<size_t>(r * floats + i)] = leaf(range.first + r, i, step, narrow);
    }
  }
  kernels::tree_sum(rows.data(), floats, range.count, floats);
  rows.resize(static_cast<size_t>(floats));
  return rows;
}

struct Case {
  int replicas;
  std::vector<int> hosts;
  bool memory = true;
  int64_t narrow = 0;
  // Each rank gets the sums of its share, makes something of them, and gathers what all made.
  std::vector<int64_t> borders = {};
};

std::vector<Bucket> shares_of(const std::vector<int64_t>& borders) {
  std::vector<Bucket> shares;
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    shares.push_back({borders[i], borders[i + 1] - borders[i]});
  }
  return shares;
}

// Gradients, and behind them further floats, which are one bucket.
std::vector<Bucket> buckets_of(int64_t floats, int64_t bucket, int64_t further) {
  std::vector<Bucket> buckets = cut_into_buckets(floats, bucket);
  if (further > 0) buckets.push_back({floats, further});
  return buckets;
}

ExchangeTraffic check(const Case& given, int64_t floats, int64_t bucket, int64_t further) {
  const ReplicaSplit split(given.replicas, static_cast<int>(given.hosts.size()));
  ExchangeTraffic most;
  std::mutex mutex;
  test::with_ranks(
      given.hosts,
      [&](Transport& transport) {
        ThreadPool pool(1 + transport.rank() % 2);
        GradientExchange exchange(transport, split,
                                  {.floats = floats + further,
                                   .buckets = buckets_of(floats, bucket, further),
                                   .narrow_floats = given.narrow,
                                   .shares = shares_of(given.borders)},
                                  pool);
        std::vector<float> made(static_cast<size_t>(floats));
        std::vector<float> expected;
        for (int step = 0; step < 3; ++step) {
          exchange.start();
          const std::vector<float> mine =
              sum_of(split.range(transport.rank()), floats + further, step, given.narrow);
          const auto count = static_cast<int>(exchange.buckets().size());
          for (int b = 0; b < count; ++b) {
            const Bucket& where = exchange.buckets()[static_cast<size_t>(b)];
            std::copy_n(mine.begin() + where.begin, where.count,
                        exchange.data().begin() + where.begin);
            exchange.begin(b);
            exchange.progress();
          }
          exchange.finish();
          const std::vector<float> all =
              sum_of({0, given.replicas}, floats + further, step, given.narrow);
          int wrong = 0;
          if (given.borders.empty()) {
            for (size_t i = 0; i < all.size(); ++i) wrong += exchange.data()[i] != all[i];
          } else {
            const auto rank = static_cast<size_t>(transport.rank());
            for (auto i = static_cast<size_t>(given.borders[rank]);
                 i < static_cast<size_t>(given.borders[rank + 1]); ++i) {
              made[i] += 2 * exchange.data()[i];
            }
            for (auto i = static_cast<size_t>(floats); i < all.size(); ++i) {
              wrong += exchange.data()[i] != all[i];
            }
            exchange.gather(made);
            expected.resize(made.size());
            for (size_t i = 0; i < made.size(); ++i) {
              expected[i] += 2 * all[i];
              wrong += made[i] != expected[i];
            }
          }
          EXPECT_EQ(wrong, 0) << "rank " << transport.rank() << " of " << given.hosts.size()
                              << ", step " << step;
          // What is gathered needs no barrier: some rank may be a step ahead.
          if (given.borders.empty()) transport.barrier();
        }
        const std::lock_guard lock(mutex);
        const ExchangeTraffic& t = exchange.traffic();
        if (t.read_bytes + t.sent_bytes > most.read_bytes + most.sent_bytes) most = t;
      },
      given.memory);
  return most;
}

TEST(GradientExchange, SumsInTheOrderOfTheTreeOnAnyHosts) {
  const std::vector<Case> cases{{2, {0, 0}},          {4, {0, 0, 0}},          {4, {0, 0, 0, 0}},
                                {4, {0, 1}},          {4, {0, 0, 1, 1}},       {4, {0, 1, 0, 1}},
                                {6, {0, 0}},          {6, {0, 1, 1, 1}},       {8, {0, 0, 0, 1, 1}},
                                {5, {0, 1, 2, 3, 4}}, {8, {0, 0, 1, 1, 2, 2}}, {3, {0, 0, 1}},
                                {4, {0, 0}, false},   {7, {0, 0, 1, 1}, false}};
  for (const Case& given : cases) {
    check(given, 40000, 9000, 70);
    check(given, 50, 9000, 0);  // fewer floats than a slice for each
  }
}

TEST(GradientExchange, TheWireMayBeNarrowWhereNumbersAre) {
  for (Case given :
       std::vector<Case>{{2, {0, 1}}, {4, {0, 1, 2}}, {4, {0, 0, 1, 1}}, {2, {0, 0}}}) {
    given.narrow = 40000;
    check(given, 40000, 9000, 70);
  }
  const int64_t wide = check({2, {0, 1}}, 40000, 9000, 0).sent_bytes;
  const int64_t narrow = check({2, {0, 1}, true, 40000}, 40000, 9000, 0).sent_bytes;
  // One way of two is half as wide.
  EXPECT_NEAR(static_cast<double>(narrow), static_cast<double>(wide) * 0.75, 1000);
}

TEST(GradientExchange, MovesAtMostTwiceTheGradients) {
  constexpr int64_t floats = 40000, steps = 3;
  for (const std::vector<int>& hosts :
       std::vector<std::vector<int>>{{0, 0}, {0, 1}, {0, 0, 0, 0}, {0, 1, 2, 3}, {0, 0, 1, 1}}) {
    const ExchangeTraffic t = check({static_cast<int>(hosts.size()), hosts}, floats, 9000, 0);
    EXPECT_EQ(t.steps, steps);
    EXPECT_EQ(t.all_bytes, floats * 4 * steps);
    EXPECT_GT(t.read_bytes + t.sent_bytes, floats * 4 * steps * 9 / 10);
    EXPECT_LE(static_cast<double>(t.read_bytes + t.sent_bytes), 2.1 * floats * 4 * steps);
  }
}

TEST(GradientExchange, SharesStayWithTheirRankUntilAllAreGathered) {
  for (const Case& given :
       std::vector<Case>{{2, {0, 0}, true, 0, {0, 16384, 40000}},
                         {4, {0, 0, 0}, true, 0, {0, 160, 160, 40000}},
                         {4, {0, 1}, true, 0, {0, 20000, 40000}},
                         {4, {0, 0, 1, 1}, true, 0, {0, 32, 9984, 20000, 40000}},
                         {6, {0, 1, 1, 1}, true, 0, {0, 0, 0, 20000, 40000}},
                         {5, {0, 1, 2}, true, 0, {0, 16, 9008, 40000}},
                         {3, {0, 0, 0}, false, 0, {0, 8000, 9000, 40000}},
                         {2, {0, 1}, true, 40000, {0, 20000, 40000}}}) {
    check(given, 40000, 9000, 70);
  }
  // No more bytes than without.
  for (const std::vector<int>& hosts :
       std::vector<std::vector<int>>{{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 0, 1, 1}}) {
    const ExchangeTraffic t =
        check({4, hosts, true, 0, {0, 10000, 20000, 30000, 40000}}, 40000, 9000, 0);
    EXPECT_GT(t.read_bytes + t.sent_bytes, 40000 * 4 * 3 * 9 / 10);
    EXPECT_LE(static_cast<double>(t.read_bytes + t.sent_bytes), 2.1 * 40000 * 4 * 3);
  }
}

TEST(GradientExchange, BucketsCoverEverythingOnce) {
  for (const int64_t floats : {1, 15, 16, 1000, 99999}) {
    for (const int64_t size : {16, 100, 5000, 1000000}) {
      int64_t next = 0;
      for (const Bucket& bucket : cut_into_buckets(floats, size)) {
        EXPECT_EQ(bucket.begin, next);
        EXPECT_GT(bucket.count, 0);
        next = bucket.end();
      }
      EXPECT_EQ(next, floats);
    }
  }
}

}  // namespace
}  // namespace convoy
