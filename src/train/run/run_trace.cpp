#include "train/run/run_trace.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"

namespace convoy {
namespace {

constexpr std::array hook_names{"LoggingTensorHook", "ProfilerHook", "ExamplesPerSecondHook",
                                "LoggingMetricHook", "StepCounterHook"};

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

void expect_range(const char* key, const std::vector<double>& range) {
  const auto is_step = [](double v) { return v >= 0 && v < 9e15 && std::floor(v) == v; };
  if (range.size() == 2 && std::ranges::all_of(range, is_step) && range[0] <= range[1]) return;
  raise(Fault::usage, "--{} takes the first and the last step, whole numbers; try: --{} 50,53", key,
        key);
}

RunTrace::Range range_of(const std::vector<double>& pair) {
  return {static_cast<int64_t>(pair[0]), static_cast<int64_t>(pair[1])};
}

}  // namespace

void RunTrace::describe(Fields& field) {
  field("trace-steps", trace_steps,
        "each process writes what it did and when in its first N steps to trace/rank-R.json of the "
        "run's folder, for chrome://tracing or ui.perfetto.dev; 0: none",
        at_least(0).no_result());
  field("profile", profile,
        "the same for the steps FIRST,LAST after the start or the resume; 0,0: none",
        any_value().no_result());
  field("profile-steps", profile_steps,
        "the same for the steps of the run with these numbers, FIRST,LAST; without the option only "
        "with --hooks ProfilerHook",
        any_value().no_result());
  field("hooks", hooks,
        "of the hooks of TensorFlow stacks, ProfilerHook traces --profile-steps; what the others "
        "log is in every run's logs (" +
            join({hook_names.begin(), hook_names.end()}, ", ") + ")",
        any_value().no_result(), {"hk"});
  expect_range("profile", profile);
  expect_range("profile-steps", profile_steps);
  by_number_ = field.given("profile-steps");
  for (const std::string& hook : hooks) {
    const auto is_it = [&](const char* name) { return lower(name) == lower(hook); };
    if (std::ranges::none_of(hook_names, is_it)) {
      const std::vector<std::string> names(hook_names.begin(), hook_names.end());
      const std::string near = nearest(hook, names);
      raise(Fault::usage, "--hooks: there is no {}; {}", one_line(hook),
            near.empty() ? "there are " + join(names, ", ") : "nearest: " + near);
    }
    by_number_ = by_number_ || is_it("ProfilerHook");
  }
  const int ways = (trace_steps > 0) + (profile[1] > 0) + by_number_;
  if (ways > 1) {
    raise(Fault::usage,
          "--trace-steps, --profile and --profile-steps each say which steps are traced; try: one "
          "of them");
  }
}

std::optional<RunTrace::Range> RunTrace::range(int64_t done) const {
  Range range{done + 1, done + trace_steps};
  if (profile[1] > 0) {
    range = range_of(profile);
    range = {done + std::max<int64_t>(range.first, 1), done + range.last};
  }
  if (by_number_) range = range_of(profile_steps);
  if (range.last < range.first || range.last <= done) return std::nullopt;
  return range;
}

}  // namespace convoy
