#include "ops/shortcut.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/cases.h"

namespace convoy::test {
namespace {

OpCase shortcut_case(const Shape& s, int64_t channels, int64_t stride) {
  return {.name = fmt::format("shortcut {} to {} stride {}", to_string(s), channels, stride),
          .inputs = {{.shape = s}},
          .build =
              [=](Builder& b, std::span<const Value> in) {
                return ops::subsample_shortcut(b, in[0], channels, stride);
              },
          .reference =
              [=](std::span<const Doubles> in) {
                Doubles out;
                for (int64_t n = 0; n < s[0]; ++n) {
                  for (int64_t c = 0; c < channels; ++c) {
                    for (int64_t h = 0; h < s[2]; h += stride) {
                      for (int64_t w = 0; w < s[3]; w += stride)
                        out.push_back(c < s[1] ? in[0][at(s, n, c, h, w)] : 0);
                    }
                  }
                }
                return out;
              }};
}

std::vector<OpCase> shortcut_cases() {
  return {shortcut_case({4, 16, 8, 8}, 32, 2), shortcut_case({2, 16, 5, 7}, 16, 1),
          shortcut_case({2, 5, 7, 6}, 24, 2), shortcut_case({4, 24, 6, 6}, 40, 3),
          shortcut_case({1, 3, 1, 1}, 4, 2)};
}

const RegisteredOps registered(ops_of<shortcut_cases>);

TEST(ShortcutOp, AgreesWithPlainLoopsAndTheirSlopes) {
  for (const OpCase& c : shortcut_cases()) check(c);
}

TEST(ShortcutOp, RefusesToLoseChannels) {
  Graph graph;
  Builder b(graph);
  EXPECT_THROW(ops::subsample_shortcut(b, b.input("x", {{2, 16, 4, 4}}), 8, 2), Error);
  EXPECT_THROW(ops::subsample_shortcut(b, b.input("x", {{2, 16}}), 16, 2), Error);
}

}  // namespace
}  // namespace convoy::test
