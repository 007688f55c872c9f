#include "dist/span_exchange.h"

#include <gtest/gtest.h>

#include "support/thread_world.h"

namespace convoy {
namespace {

// What a replica gives in a run.
float value(int replica, int exchange, int64_t i, int run) {
  return static_cast<float>(replica * 1000 + exchange * 100 + i * 10 + run);
}

void check(int replicas, int span, const std::vector<int>& hosts, bool memory = true) {
  const ReplicaSplit split(replicas, static_cast<int>(hosts.size()));
  const std::vector<int64_t> floats{4, 3, 7};
  const auto body = [&](Transport* transport) {
    const ReplicaRange mine = split.range(transport ? transport->rank() : 0);
    SpanExchange exchange(transport, split, span, floats);
    for (int run = 0; run < 5; ++run) {
      exchange.start();
      for (int e = 0; e < 3; ++e) {
        const int64_t n = floats[static_cast<size_t>(e)];
        std::vector<std::vector<float>> given, all;
        std::vector<const float*> from;
        std::vector<float*> to;
        for (int r = 0; r < mine.count; ++r) {
          given.emplace_back();
          for (int64_t i = 0; i < n; ++i) given.back().push_back(value(mine.first + r, e, i, run));
          all.emplace_back(static_cast<size_t>(n * span), -1.0f);
        }
        for (int r = 0; r < mine.count; ++r) {
          from.push_back(given[static_cast<size_t>(r)].data());
          to.push_back(all[static_cast<size_t>(r)].data());
        }
        exchange.publish(e, from);
        exchange.collect(e, from, to, [] {});
        for (int r = 0; r < mine.count; ++r) {
          const int first = (mine.first + r) / span * span;
          for (int64_t i = 0; i < n * span; ++i) {
            EXPECT_EQ(all[static_cast<size_t>(r)][static_cast<size_t>(i)],
                      value(first + static_cast<int>(i / n), e, i % n, run))
                << replicas << " in groups of " << span << " on " << hosts.size();
          }
        }
      }
    }
  };
  if (hosts.size() == 1) return body(nullptr);
  test::with_ranks(
      hosts, [&](Transport& transport) { body(&transport); }, memory);
}

TEST(SpanExchange, EveryReplicaGetsWhatItsGroupGave) {
  check(4, 4, {0});
  check(4, 2, {0});
  for (const int span : {1, 2, 4}) {
    check(4, span, {0, 0});
    check(4, span, {0, 0, 0});
    check(4, span, {0, 1, 1});
    check(4, span, {0, 1, 2, 3});
    check(4, span, {0, 0, 1, 1});
    check(4, span, {0, 0, 0, 0}, false);
  }
  check(6, 3, {0, 0, 1});
  check(6, 6, {0, 1});
}

}  // namespace
}  // namespace convoy
