#include "train/step/step_schedule.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"

namespace convoy {
namespace {

using enum Action::Kind;

class Writer {
 public:
  Writer(const StepShape& shape, const ExchangedParts& parts) : shape_(shape), parts_(parts) {
    written_.mine = {shape.mine.first, shape.local_replicas()};
    written_.micros = shape.accumulation;
    written_.waits = shape.lockstep() && shape.has_peers() && !shape.groups_in_turn();
    if (shape.has_peers()) add({open});
  }

  void add(const Action& action) { written_.actions.push_back(action); }
  void add(Action::Kind kind, ReplicaRange of, int micro) {
    add({.kind = kind, .replica = of.first, .replicas = of.count, .micro = micro});
  }

  void run(std::string_view plan, ReplicaRange of, int micro) {
    add(Action::Kind::run, of, micro);
    written_.actions.back().plan = plan;
    written_.actions.back().fresh = std::exchange(is_fresh_, false);
  }

  // Actions inside the run just added: when a bucket is complete, it is processed by `actions` and
  // its exchange begins.
  void begin_buckets(const std::vector<Action>& actions) {
    for (int bucket = 0; bucket < parts_.buckets; ++bucket) {
      for (Action action : actions) {
        action.part = bucket;
        action.inside = true;
        add(action);
      }
      add({.kind = begin, .part = bucket, .inside = true});
    }
  }

  // Adds the result of a run to the leaves of its replicas. With other processes the last run does
  // this and the sum bucket by bucket, inside the run, so that the exchanges begin early.
  void add_to_leaf(ReplicaRange of, int micro, bool is_last_run) {
    Action leaf_of{.kind = leaf, .replica = of.first, .replicas = of.count, .micro = micro};
    std::vector<Action> actions{leaf_of};
    if (shape_.narrow && micro == shape_.accumulation - 1) {
      actions.push_back({.kind = round, .replica = of.first, .replicas = of.count});
    }
    if (is_last_run && shape_.has_peers()) {
      actions.push_back({sum});
      begin_buckets(actions);
    } else {
      for (const Action& action : actions) add(action);
    }
    leaf_of.part = Action::statistics;
    if (parts_.statistics) add(leaf_of);
  }

  // Adds the actions after the last run. With other processes the gradients are summed and their
  // exchanges begun by now; without leaves they are summed by the run.
  StepSchedule finish(bool has_leaves) {
    if (has_leaves && !shape_.has_peers()) add({sum});
    if (parts_.statistics && (has_leaves || shape_.has_peers())) {
      add({.kind = sum, .part = Action::statistics});
    }
    if (parts_.statistics && shape_.has_peers()) {
      add({.kind = begin, .part = Action::statistics});
    }
    if (shape_.has_peers()) add({end});
    add({results});
    const bool at_once = shape_.bn_per_step && shape_.accumulation > 1;
    for (int m = 0; parts_.statistics && m < (at_once ? 1 : shape_.accumulation); ++m) {
      add({.kind = statistics, .micro = at_once ? Action::every : m});
    }
    add({update});
    if (shape_.has_peers() && shape_.shard) add({gather});
    return std::move(written_);
  }

 private:
  const StepShape& shape_;
  const ExchangedParts& parts_;
  StepSchedule written_;
  bool is_fresh_ = true;
};

std::string place_of(const Action& a) {
  if (a.replicas == 0) return "";
  if (a.replicas == 1) return fmt::format(", replica {}", a.replica);
  return fmt::format(", replicas {}-{}", a.replica, a.replica + a.replicas - 1);
}

std::string micro_of(const Action& a) {
  return a.micro == Action::every ? ", every micro" : fmt::format(", micro {}", a.micro);
}

std::string part_of(const Action& a) {
  if (a.part == Action::gradients) return ", gradients";
  return a.part == Action::statistics ? ", statistics" : fmt::format(", bucket {}", a.part);
}

}  // namespace

StepSchedule one_run_schedule(const StepShape& shape, const ExchangedParts& parts,
                              std::string_view plan) {
  expect(shape.accumulation == 1, "one micro-batch in one run");
  Writer w(shape, parts);
  const ReplicaRange all{shape.mine.first, shape.local_replicas()};
  // Only for a single replica: several in one run (StepShape::together) exclude `narrow`.
  const Action rounded{.kind = round, .replica = all.first, .replicas = all.count};
  w.add(batch, all, 0);
  w.run(plan, all, 0);
  if (shape.has_peers()) {
    w.begin_buckets(shape.narrow ? std::vector{rounded} : std::vector<Action>{});
  } else if (shape.narrow) {
    w.add(rounded);
  }
  w.add(record_results, all, 0);
  return w.finish(false);
}

StepSchedule sequence_schedule(const StepShape& shape, const ExchangedParts& parts) {
  Writer w(shape, parts);
  const int end = shape.mine.first + shape.local_replicas();
  for (int r = shape.mine.first; r < end; ++r) {
    for (int m = 0; m < shape.accumulation; ++m) {
      w.add(batch, {r, 1}, m);
      w.run("train", {r, 1}, m);
      w.add_to_leaf({r, 1}, m, r == end - 1 && m == shape.accumulation - 1);
      w.add(record_results, {r, 1}, m);
    }
    if (r < end - 1) w.add({.kind = push, .replica = r, .replicas = 1});
  }
  return w.finish(true);
}

StepSchedule lockstep_schedule(const StepShape& shape, const ExchangedParts& parts) {
  Writer w(shape, parts);
  for (int group = 0; group < shape.groups(); ++group) {
    const ReplicaRange all{shape.mine.first + group * shape.lanes(), shape.lanes()};
    const bool is_last = group == shape.groups() - 1;
    for (int m = 0; m < shape.accumulation; ++m) {
      for (int r = 0; r < all.count; ++r) w.add(batch, {all.first + r, 1}, m);
      w.run("train", all, m);
      w.add_to_leaf(all, m, is_last && m == shape.accumulation - 1);
      for (int r = 0; r < all.count; ++r) w.add(record_results, {all.first + r, 1}, m);
    }
    for (int r = 0; r < all.count && !is_last; ++r) {
      w.add({.kind = push, .replica = all.first + r, .replicas = 1});
    }
  }
  return w.finish(true);
}

StepSchedule schedule_of(const StepShape& shape, const ExchangedParts& parts) {
  if (shape.lockstep()) return lockstep_schedule(shape, parts);
  return shape.is_one_run() ? one_run_schedule(shape, parts) : sequence_schedule(shape, parts);
}

std::string to_string(const Action& a) {
  const std::string where = place_of(a);
  switch (a.kind) {
    case open:
      return "open the exchange";
    case batch:
      return "batch" + where + micro_of(a);
    case run:
      return fmt::format("run {}{}{}{}", a.plan, where, micro_of(a),
                         a.fresh ? ", new parameters" : "");
    case record_results:
      return "record results" + where + micro_of(a);
    case leaf:
      return "leaf" + where + micro_of(a) + part_of(a);
    case round:
      return "round" + where + part_of(a);
    case push:
      return "push" + where;
    case sum:
      return "sum" + part_of(a);
    case begin:
      return "begin" + part_of(a);
    case end:
      return "end every exchange";
    case results:
      return "results";
    case statistics:
      return "statistics" + micro_of(a);
    case update:
      return "update";
    case gather:
      return "gather parameters";
  }
  return {};
}

std::string to_string(const StepSchedule& schedule) {
  std::string text;
  for (const Action& action : schedule.actions) {
    text += (action.inside ? "  " : "") + to_string(action) + "\n";
  }
  return text;
}

}  // namespace convoy
