// Damages a file as fuzzers do: bytes, runs, extreme numbers, pieces of others, truncation. The
// same key gives the same damage.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"

namespace convoy::test {

// One to four changes of `bytes`; pieces are taken from `seeds`.
std::string mutated(std::string bytes, const std::vector<std::string>& seeds, Random& random);

}  // namespace convoy::test
