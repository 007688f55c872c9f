// A world of threads: each is a rank, hosts are what the test says.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <tuple>

#include "dist/transport.h"

namespace convoy::test {

// Runs body(transport) in a thread for each rank, and passes on what one threw. `hosts`: of each
// rank. Without `memory` no rank gets shared memory.
void with_ranks(const std::vector<int>& hosts, const std::function<void(Transport&)>& body,
                bool memory = true);

}  // namespace convoy::test
