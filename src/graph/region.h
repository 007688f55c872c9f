// A region is a kind of memory in which values are stored: a row, defined where it is needed.
// `layout` tells which code assigns offsets in it; the executor knows its address
// (engine/executor.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace convoy {

struct Region {
  enum class Layout : uint8_t {
    lifetimes,  // the planner, by lifetimes: memory is reused
    apart,      // the planner, each value at its own offset: outlives a run; so far only in tests
    caller,     // none: each input is bound to memory of the caller
    params,     // the state's layout of parameters
    stats,      // the state's layout of statistics
    views,      // none: values are whole buffers of the state
  };
  std::string_view name;
  Layout layout;
};

// Of these regions the planner lays out only the workspace; the others are state, or the caller's.
namespace regions {
inline constexpr Region workspace{"workspace", Region::Layout::lifetimes};
inline constexpr Region input{"input", Region::Layout::caller};
inline constexpr Region params{"params", Region::Layout::params};
inline constexpr Region grads{"grads", Region::Layout::params};
inline constexpr Region stats{"stats", Region::Layout::stats};
inline constexpr Region batch_stats{"batch_stats", Region::Layout::stats};
inline constexpr Region slots{"slots", Region::Layout::views};  // buffers of the optimizer
inline constexpr Region average_params{"average_params", Region::Layout::views};
inline constexpr Region average_stats{"average_stats", Region::Layout::views};
}  // namespace regions

}  // namespace convoy
