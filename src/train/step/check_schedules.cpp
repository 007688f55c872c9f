#include "train/step/check_schedules.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace convoy {
namespace {

using enum Action::Kind;

// What has happened to a micro-batch of a replica.
struct Micro {
  bool has_input = false, has_run = false, is_recorded = false;
};

// Checks the actions of one rank, in their order.
class RankCheck {
 public:
  RankCheck(int rank, const StepSchedule& schedule, std::vector<std::string>& faults)
      : rank_(rank), schedule_(schedule), faults_(faults) {
    for (const Action& a : schedule.actions) has_leaves_ = has_leaves_ || a.kind == leaf;
  }

  void check() {
    for (const Action& action : schedule_.actions) {
      now_ = &action;
      in_run_ = action.inside ? in_run_ : action.kind == run;
      if (action.inside && !in_run_) fault("is inside no run");
      look_at(action);
      done_.insert(action.kind);
    }
    now_ = nullptr;
    for (const int part : begun_) fault("{} is never ended", name(part));
    for (const auto& [id, micro] : micros_) {
      if (!micro.is_recorded) fault("{} has no recorded results", name(id));
      if (!micro.has_run) fault("{} never runs", name(id));
    }
    if (!done_.contains(update)) fault("no update");
  }

 private:
  using Id = std::pair<int, int>;  // replica, micro-batch

  template <class... Args>
  void fault(fmt::format_string<Args...> what, Args&&... args) {
    const std::string where = now_ ? fmt::format("'{}': ", to_string(*now_)) : "";
    faults_.push_back(
        fmt::format("rank {}: {}{}", rank_, where, fmt::format(what, std::forward<Args>(args)...)));
  }
  static std::string name(Id id) {
    return fmt::format("replica {}, micro {}", id.first, id.second);
  }
  static std::string name(int part) {
    if (part == Action::gradients) return "the sum of gradients";
    return part == Action::statistics ? "the sum of statistics" : fmt::format("bucket {}", part);
  }
  template <class F>
  void each(const Action& a, const F& f) {
    for (int r = a.replica; r < a.replica + a.replicas; ++r) f(Id{r, a.micro});
  }

  // The number of micro-batches that were added to that part of the replica's leaf.
  int held(int replica, int part) const {
    const auto at = [&](int which) {
      const auto found = added_.find({replica, which});
      return found == added_.end() ? 0 : found->second;
    };
    return part < 0 ? at(part) : at(part) + at(Action::gradients);
  }
  void expect_whole(int replica, int part) {
    if (held(replica, part) == schedule_.micros) return;
    // The buckets may have been added one by one.
    int fewest = schedule_.micros;
    bool any = false;
    for (const auto& [key, count] : added_) {
      if (key.first != replica || key.second < 0) continue;
      any = true;
      fewest = std::min(fewest, held(replica, key.second));
    }
    if (part != Action::gradients || !any || fewest < schedule_.micros) {
      fault("not all micro-batches of replica {} are in its leaf", replica);
    }
  }

  void look_at(const Action& a) {
    switch (a.kind) {
      case batch:
        each(a, [&](Id id) {
          if (std::exchange(micros_[id].has_input, true)) fault("it is there already");
        });
        break;
      case run:
        look_at_run(a);
        break;
      case record_results:
        each(a, [&](Id id) {
          if (!micros_[id].has_run) fault("before it has run");
          if (std::exchange(micros_[id].is_recorded, true)) fault("a second time");
        });
        break;
      case leaf:
        look_at_leaf(a);
        break;
      case round:
      case push:
        for (int r = a.replica; has_leaves_ && r < a.replica + a.replicas; ++r) {
          expect_whole(r, a.part);
        }
        if (a.kind == push) open_leaf_ = -1;
        break;
      case sum:
        for (int r = 0; has_leaves_ && r < schedule_.mine.count; ++r) {
          expect_whole(schedule_.mine.first + r, a.part);
        }
        if (!summed_.insert(a.part).second) fault("a second time");
        break;
      case begin:
        look_at_begin(a);
        break;
      case end:
        if (begun_.empty()) fault("none was begun");
        begun_.clear();
        break;
      case open:
        break;
      default:
        look_at_finish(a);
    }
  }

  void look_at_run(const Action& a) {
    if (plans_.insert(std::string(a.plan)).second && !a.fresh) {
      fault("the first run of a step sees new parameters");
    }
    each(a, [&](Id id) {
      if (!micros_[id].has_input) fault("without a batch");
      if (std::exchange(micros_[id].has_run, true)) fault("a second time");
    });
  }

  void look_at_leaf(const Action& a) {
    each(a, [&](Id id) {
      if (!micros_[id].has_run) fault("before it has run");
      const int in = held(id.first, a.part);
      if (in != a.micro) fault("out of order: its leaf has {} micro-batches", in);
      ++added_[{id.first, a.part}];
    });
    if (a.replicas == 1 && open_leaf_ >= 0 && open_leaf_ != a.replica) {
      fault("replica {} was not pushed", open_leaf_);
    }
    if (a.replicas == 1) open_leaf_ = a.replica;
  }

  void look_at_begin(const Action& a) {
    if (!done_.contains(open)) fault("before the exchange is open");
    const bool needs_sum = has_leaves_ || a.part == Action::statistics;
    if (needs_sum && !summed_.contains(a.part)) fault("before its sum");
    if (!begun_.insert(a.part).second) fault("a second time");
  }

  void look_at_finish(const Action& a) {
    for (const int part : begun_) fault("while {} is under way", name(part));
    for (const auto& [id, micro] : micros_) {
      if (a.kind == results && !micro.is_recorded)
        fault("before those of {} are recorded", name(id));
    }
    if (a.kind == update && !done_.contains(results)) fault("before the results");
    if (a.kind == gather && !done_.contains(update)) fault("before the update");
    if (a.kind != statistics && done_.contains(a.kind)) fault("a second time");
  }

  int rank_;
  const StepSchedule& schedule_;
  std::vector<std::string>& faults_;
  const Action* now_ = nullptr;
  bool in_run_ = false, has_leaves_ = false;
  int open_leaf_ = -1;  // the replica that uses the shared leaf
  std::set<Action::Kind> done_;
  std::map<Id, Micro> micros_;
  std::map<Id, int> added_;  // by replica and part
  std::set<int> begun_, summed_;
  std::set<std::string> plans_;
};

int peak_live(const StepSchedule& schedule) {
  int peak = 0;
  for (const Action& a : schedule.actions) peak = std::max(peak, a.kind == run ? a.replicas : 0);
  return peak;
}

// Whether ranks wait for each other here; all do so in the same order.
bool meets(const StepSchedule& schedule, const Action& a) {
  return a.kind == results || a.kind == gather || (a.kind == run && schedule.waits);
}
std::string meeting(const Action& a) {
  return a.kind == run ? fmt::format("run {}, micro {}", a.plan, a.micro) : to_string(a);
}

std::vector<std::string> exchanges(const StepSchedule& schedule) {
  std::vector<std::string> all;
  for (const Action& a : schedule.actions) {
    if (a.kind == begin || a.kind == end || meets(schedule, a)) all.push_back(meeting(a));
  }
  return all;
}

void compare_exchanges(std::span<const StepSchedule> ranks, std::vector<std::string>& faults) {
  const std::vector<std::string> theirs = exchanges(ranks[0]);
  for (size_t r = 1; r < ranks.size(); ++r) {
    const std::vector<std::string> ours = exchanges(ranks[r]);
    for (size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
      const std::string mine = i < ours.size() ? ours[i] : "nothing";
      const std::string other = i < theirs.size() ? theirs[i] : "nothing";
      if (mine == other) continue;
      faults.push_back(
          fmt::format("exchange {} of rank {} is '{}', and '{}' of rank 0", i, r, mine, other));
      break;
    }
  }
}

// Advances every rank as far as it can go, until none can.
class Simulation {
 public:
  explicit Simulation(std::span<const StepSchedule> ranks)
      : ranks_(ranks), at_(ranks.size()), begun_(ranks.size()), met_(ranks.size()) {}

  void run(std::vector<std::string>& faults) {
    for (bool moves = true; moves;) {
      moves = false;
      for (size_t r = 0; r < ranks_.size(); ++r) {
        while (at_[r] < ranks_[r].actions.size() && passes(r, ranks_[r].actions[at_[r]])) {
          ++at_[r];
          arrived_.erase(r);
          moves = true;
        }
      }
    }
    std::string waits;
    for (size_t r = 0; r < ranks_.size(); ++r) {
      if (at_[r] == ranks_[r].actions.size()) continue;
      waits += fmt::format("{}rank {} waits at '{}'", waits.empty() ? "" : ", ", r,
                           to_string(ranks_[r].actions[at_[r]]));
    }
    if (!waits.empty()) faults.push_back("deadlock: " + waits);
  }

 private:
  template <class F>
  bool all_ranks(const F& is_true) {
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!is_true(rank)) return false;
    }
    return true;
  }

  bool passes(size_t rank, const Action& a) {
    if (a.kind == begin) begun_[rank].insert(a.part);
    if (a.kind == end) {
      return all_ranks(
          [&](size_t other) { return std::ranges::includes(begun_[other], begun_[rank]); });
    }
    if (!meets(ranks_[rank], a)) return true;
    // A rank that has arrived stays counted while it waits.
    std::vector<std::string>& mine = met_[rank];
    if (arrived_.insert(rank).second) mine.push_back(meeting(a));
    return all_ranks([&](size_t other) {
      const std::vector<std::string>& theirs = met_[other];
      return theirs.size() >= mine.size() && theirs[mine.size() - 1] == mine.back();
    });
  }

  std::span<const StepSchedule> ranks_;
  std::vector<size_t> at_;
  std::vector<std::set<int>> begun_;
  std::vector<std::vector<std::string>> met_;  // by rank
  std::set<size_t> arrived_;
};

}  // namespace

ScheduleCheck check_schedules(std::span<const StepSchedule> ranks) {
  ScheduleCheck check;
  for (size_t r = 0; r < ranks.size(); ++r) {
    RankCheck(static_cast<int>(r), ranks[r], check.faults).check();
    check.peak_live.push_back(peak_live(ranks[r]));
  }
  compare_exchanges(ranks, check.faults);
  Simulation(ranks).run(check.faults);
  return check;
}

}  // namespace convoy
