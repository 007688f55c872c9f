#include "dist/row_exchange.h"

#include <gtest/gtest.h>

#include "support/thread_world.h"

namespace convoy {
namespace {

TEST(RowExchange, EveryRankGetsTheRowsOfAll) {
  for (const std::vector<int64_t>& cuts :
       std::vector<std::vector<int64_t>>{{0, 3, 5, 9}, {0, 0, 7, 7}, {0, 1, 2, 3}}) {
    test::with_ranks({0, 0, 1}, [&](Transport& transport) {
      RowExchange rows(transport, cuts, 2 * sizeof(double));
      const auto count = static_cast<size_t>(cuts.back() * 2);
      for (int step = 0; step < 3; ++step) {
        const auto value = [&](size_t i) { return static_cast<double>(i) + 0.1 * step; };
        std::vector<double> all(count, -1);
        const auto rank = static_cast<size_t>(transport.rank());
        for (auto i = static_cast<size_t>(2 * cuts[rank]);
             i < static_cast<size_t>(2 * cuts[rank + 1]); ++i) {
          all[i] = value(i);
        }
        rows.run(std::as_writable_bytes(std::span(all)));
        for (size_t i = 0; i < count; ++i) EXPECT_EQ(all[i], value(i)) << i;
      }
    });
  }
}

}  // namespace
}  // namespace convoy
