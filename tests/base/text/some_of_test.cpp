#include "base/text/some_of.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

TEST(SomeOf, TellsTheFirstAndHowManyMoreThereAre) {
  EXPECT_EQ(some_of({}, 2), "");
  EXPECT_EQ(some_of({"a", "b"}, 2), "a, b");
  EXPECT_EQ(some_of({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

}  // namespace
}  // namespace convoy
