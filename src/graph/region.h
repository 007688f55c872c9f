// Where values live: each kind of memory is a row, defined where it is needed. Its `layout` says
// who gives offsets in it; where the memory is, the executor knows (engine/executor.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

struct Region {
  enum class Layout : uint8_t {
    lifetimes,  // the planner; what is needed no longer makes room
    apart,      // the planner; every value has its own place: the memory outlives a run of the plan
    caller,     // none: each input is bound to memory of the caller
    params,     // the state's layout of parameters
    stats,      // the state's layout of statistics
    views,      // none: seen as whole buffers, side by side
  };
  std::string_view name;
  Layout layout;
};

// Memory is planned in the workspace; the rest is state or comes from the caller.
namespace regions {
inline constexpr Region workspace{"workspace", Region::Layout::lifetimes};
inline constexpr Region input{"input", Region::Layout::caller};
inline constexpr Region params{"params", Region::Layout::params};
inline constexpr Region grads{"grads", Region::Layout::params};
inline constexpr Region stats{"stats", Region::Layout::stats};
inline constexpr Region batch_stats{"batch_stats", Region::Layout::stats};
inline constexpr Region slots{"slots", Region::Layout::views};  // of the optimizer
inline constexpr Region average_params{"average_params", Region::Layout::views};
inline constexpr Region average_stats{"average_stats", Region::Layout::views};
}  // namespace regions

}  // namespace convoy
