// Ops that only tests have.
#pragma once

#include <memory>
#include <thread>

#include "graph/builder.h"

namespace convoy::test {

// x itself, in the blocked layout. Checks on the way, forward and backward, that padded channels
// are zero: when they are not, what comes out is NaN.
Value blocked(Builder& b, Value x);

// A pair that works in between, as a collective does: `begin` starts a thread that sleeps, then
// reads x and writes 2 x into begin's output; `end` waits for it and hands the result on.
// `milliseconds` is how long the thread sleeps.
Value begin_doubling(Builder& b, Value x, int milliseconds);
Value end_doubling(Builder& b, Value begun);

// w - rate * g with the rate a plan input: what an optimiser does.
Value descend(Builder& b, Value w, Value g, Value rate);

}  // namespace convoy::test
