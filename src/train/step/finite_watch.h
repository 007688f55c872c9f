// Watches the values of a step's plans, node by node, for the first one that is not finite. It
// reads every value once more, so it is for --fp-exceptions and `convoy replay`, not for ordinary
// steps; it changes nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/executor.h"
#include "engine/observer.h"
#include "train/step/value_scan.h"

namespace convoy {

struct NonFiniteValue {
  std::string plan;  // "train", "tail", "update"
  // The op and node that made it, "batch_norm" and "layer1.0.bn1.batch_norm"; a value from outside
  // the plan has an empty op, and a node such as "input image" or "parameter fc.weight".
  std::string op, node;
  int output = 0;  // of the node
  std::string type;
  ValueRange range;
  // Places in the step of the samples that have such values. If the value does not belong to
  // samples: those with the largest magnitude in the inputs, and `by_magnitude` is set.
  std::vector<int64_t> samples;
  bool by_magnitude = false;
  struct Input {
    std::string from;  // "convolution layer1.0.conv1.convolution", "parameter bn1.weight"
    std::string type;
    ValueRange range;
  };
  std::vector<Input> inputs;

  // "inf", "nan"
  std::string_view kind() const { return range.first_is_nan ? "nan" : "inf"; }
  // "nan in output 0 of batch_norm layer1.0.bn1.batch_norm (f32[…]): 12 of 512 values"
  std::string line() const;
};

class FiniteWatch final : public PlanObserver {
 public:
  explicit FiniteWatch(ThreadPool& pool) : pool_(pool) {}

  // A run of a plan begins in these executors. `first`: the place in the step of the first sample
  // of the first one; those of the next begin `stride` further. Scans what comes from outside.
  void begin_run(std::string_view plan, std::span<Executor* const> members, int64_t first,
                 int64_t stride);
  void ran(const Plan& plan, size_t op, double begin, double end) override;
  // After the update: scans the gradients and the parameters.
  void end_step(const State& state);

  // The first such value since the beginning; no further ones are looked for.
  const std::optional<NonFiniteValue>& found() const { return found_; }
  // Raises Fault::diverged as soon as there is one; `step` is for the message, and `name` gives the
  // name of the sample at a place in the step.
  void raise_in(int64_t step, std::function<std::string(int64_t)> name);

 private:
  using Ranges = std::vector<std::vector<ValueRange>>;  // by value; of each sample, or of all

  void scan_outside(size_t member);
  bool look_at(size_t member, Value v);
  void tell(size_t member, Value v);
  void tell_region(std::string_view what, const State& state, std::span<const float> values);
  void found_one();
  bool has_samples(const Graph& graph, Value v) const;
  std::string name_of(const Graph& graph, Value v) const;
  const Plan& plan() const { return members_.front()->plan(); }

  ThreadPool& pool_;
  std::string kind_;
  std::vector<Executor*> members_;
  int64_t first_ = 0, stride_ = 0;
  int64_t samples_ = 0;         // of a run in one executor
  std::vector<char> used_;      // by value: others may be left unwritten
  std::vector<Ranges> ranges_;  // by member
  std::optional<NonFiniteValue> found_;
  int64_t step_ = -1;  // for the message; -1: only notes what it finds
  std::function<std::string(int64_t)> sample_name_;
};

}  // namespace convoy
