#include "compile/passes/recompute_choice.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.h"

namespace convoy {
namespace {

using One = Activations::One;

// What is made again between two cuts.
enum class Way : uint8_t { nothing, cheap, all };
constexpr std::array ways{Way::nothing, Way::cheap, Way::all};

bool is_again(const One& one, Way way) {
  if (way == Way::nothing) return false;
  return way == Way::cheap ? one.cheap : one.again;
}

// Of one segment, in one way. `ends`: the values that its cut carries are kept.
struct Segment {
  size_t kept = 0;  // bytes in use until the backward pass has come here
  size_t held = 0;  // bytes made again that later segments' backward pass leaves in use
  size_t peak = 0, peak_ends = 0;  // the most bytes of gradients and values made again in this one
  double time = 0;
};

// From cut `from` (-1: the beginning) to cut `to`, in one way.
struct Step {
  int from, to;
  Way way;
  size_t kept = 0;  // more bytes kept
  size_t peak = 0;  // at most, above the bytes kept up to `to`
  double time = 0;
};

// One of the best ways to come to a cut: more bytes for less time.
struct Reached {
  size_t kept = 0;
  double time = 0;
  int step = -1, before = -1;  // the last step, and the place of the way to its beginning
};

class Search {
 public:
  Search(const Activations& activations, bool may_repeat_all)
      : a_(activations), may_repeat_all_(may_repeat_all) {
    measure();
    list_steps();
  }

  // The steps of the least time within that many bytes; empty: impossible.
  std::vector<Step> within(size_t bytes) const;
  // Between these cuts everything is made again, and after the last one nothing.
  std::vector<Step> between(const std::vector<int>& cuts) const;
  // The fewest bytes that are possible.
  size_t fewest() const;

 private:
  Segment measure(int segment, Way way) const;
  void measure();
  void list_steps();
  Step measured_step(int from, int to, Way way) const;

  const Activations& a_;
  const bool may_repeat_all_;
  std::array<std::vector<Segment>, ways.size()> of_;  // by way
  std::vector<std::vector<int>> made_, read_;         // by segment: values made, positions read at
  std::vector<Step> steps_;                           // by their ends
};

void Search::measure() {
  made_.resize(static_cast<size_t>(a_.segments()));
  read_.resize(static_cast<size_t>(a_.segments()));
  for (size_t id = 0; id < a_.values.size(); ++id) {
    const One& one = a_.values[id];
    if (one.bytes == 0) continue;
    made_[static_cast<size_t>(a_.segment[static_cast<size_t>(one.made)])].push_back(
        static_cast<int>(id));
  }
  for (size_t at = static_cast<size_t>(a_.turn); at < a_.segment.size(); ++at) {
    read_[static_cast<size_t>(a_.segment[at])].push_back(static_cast<int>(at));
  }
  for (const Way way : ways) {
    for (int s = 0; s < a_.segments(); ++s) {
      of_[static_cast<size_t>(way)].push_back(measure(s, way));
    }
  }
}

Segment Search::measure(int segment, Way way) const {
  Segment sum;
  const auto& made = made_[static_cast<size_t>(segment)];
  const std::vector<int>& carried = a_.carried[static_cast<size_t>(segment)];
  const auto is_carried = [&](int id) { return std::ranges::find(carried, id) != carried.end(); };
  int last_node = -1;
  for (const int id : made) {
    const One& one = a_.values[static_cast<size_t>(id)];
    if (is_again(one, way)) {
      if (one.saved() && !one.alone) sum.held += one.bytes;
      const bool repeats = way == Way::all && one.made != last_node;
      if (repeats || one.saved()) sum.time += one.time;
      if (repeats && one.saved() && one.alone) sum.time += one.time;
      last_node = one.made;
    } else if (one.saved()) {
      sum.kept += one.bytes;
    }
  }
  for (const int at : read_[static_cast<size_t>(segment)]) {
    size_t now = 0, of_carried = 0;
    for (const int id : made) {
      const One& one = a_.values[static_cast<size_t>(id)];
      if (!one.saved() || !is_again(one, way) || one.last_backward < at) continue;
      if (one.alone && one.first_backward > at) continue;
      now += one.bytes;
      if (is_carried(id)) of_carried += one.bytes;
    }
    const size_t gradients = a_.gradients[static_cast<size_t>(at)];
    sum.peak = std::max(sum.peak, gradients + now);
    sum.peak_ends = std::max(sum.peak_ends, gradients + now - of_carried);
  }
  return sum;
}

Step Search::measured_step(int from, int to, Way way) const {
  Step made{.from = from, .to = to, .way = way};
  const std::vector<Segment>& all = of_[static_cast<size_t>(way)];
  size_t held = 0;
  for (int s = from + 1; s <= to; ++s) {
    const Segment& one = all[static_cast<size_t>(s)];
    made.peak = std::max(made.peak, held + (s == to ? one.peak_ends : one.peak));
    held += one.held;
    made.kept += one.kept;
    made.time += one.time;
  }
  for (const int id : a_.carried[static_cast<size_t>(to)]) {
    const One& one = a_.values[static_cast<size_t>(id)];
    if (a_.segment[static_cast<size_t>(one.made)] <= from) continue;  // carried by `from` too
    if (is_again(one, way) || !one.saved()) made.kept += one.bytes;
  }
  return made;
}

void Search::list_steps() {
  for (int to = 0; to < a_.segments(); ++to) {
    for (int from = -1; from < to; ++from) {
      if (from == to - 1) steps_.push_back(measured_step(from, to, Way::nothing));
      steps_.push_back(measured_step(from, to, Way::cheap));
      if (may_repeat_all_) steps_.push_back(measured_step(from, to, Way::all));
    }
  }
}

// Keeps those that need fewer bytes than every faster one; of many, evenly chosen ones.
void keep_best(std::vector<Reached>& all) {
  constexpr size_t most = 48;
  std::ranges::sort(all, [](const Reached& a, const Reached& b) {
    return a.time != b.time ? a.time < b.time : a.kept < b.kept;
  });
  std::vector<Reached> best;
  for (const Reached& one : all) {
    if (best.empty() || one.kept < best.back().kept) best.push_back(one);
  }
  all.clear();
  const size_t count = std::min(most, best.size());
  for (size_t i = 0; i < count; ++i) {
    all.push_back(best[count == 1 ? 0 : i * (best.size() - 1) / (count - 1)]);
  }
}

std::vector<Step> Search::within(size_t bytes) const {
  const auto count = static_cast<size_t>(a_.segments());
  std::vector<std::vector<Reached>> here(count + 1);  // [cut + 1]
  here[0].push_back({});
  size_t next = 0;
  for (size_t to = 0; to < count; ++to) {
    std::vector<Reached>& found = here[to + 1];
    for (; next < steps_.size() && steps_[next].to == static_cast<int>(to); ++next) {
      const Step& step = steps_[next];
      const std::vector<Reached>& from = here[static_cast<size_t>(step.from + 1)];
      for (size_t i = 0; i < from.size(); ++i) {
        const size_t kept = from[i].kept + step.kept;
        if (kept + step.peak > bytes) continue;
        found.push_back(
            {kept, from[i].time + step.time, static_cast<int>(next), static_cast<int>(i)});
      }
    }
    keep_best(found);
  }
  std::vector<Step> taken;
  if (here[count].empty()) return taken;
  int at = 0;  // the fastest
  for (size_t to = count; to > 0;) {
    const Reached& one = here[to][static_cast<size_t>(at)];
    taken.push_back(steps_[static_cast<size_t>(one.step)]);
    at = one.before;
    to = static_cast<size_t>(taken.back().from + 1);
  }
  return taken;
}

std::vector<Step> Search::between(const std::vector<int>& cuts) const {
  std::vector<Step> steps;
  int from = -1;
  for (const int to : cuts) steps.push_back(measured_step(std::exchange(from, to), to, Way::all));
  for (int to = from + 1; to < a_.segments(); ++to) {
    steps.push_back(measured_step(to - 1, to, Way::nothing));
  }
  return steps;
}

size_t Search::fewest() const {
  size_t low = 0, high = 1;
  while (within(high).empty()) high *= 2;
  while (high - low > high / 256) {
    const size_t middle = low + (high - low) / 2;
    (within(middle).empty() ? low : high) = middle;
  }
  return high;
}

// More bytes than the fewest possible, for a choice that takes less time.
size_t with_slack(size_t bytes) { return bytes + bytes / 50; }

}  // namespace

RecomputeChoice choose_recompute(const Activations& activations, const RecomputeRule& rule,
                                 const std::vector<int>& points) {
  RecomputeChoice choice;
  choice.again.resize(activations.values.size(), false);
  choice.brief = choice.again;
  const Search search(activations, rule.mode != Recompute::cheap);
  std::vector<Step> steps;
  if (!points.empty() && rule.mode == Recompute::blocks) steps = search.between(points);
  if (rule.mode == Recompute::automatic) {
    steps = search.within(static_cast<size_t>(std::max<int64_t>(rule.most_bytes, 0)));
  }
  if (steps.empty()) steps = search.within(with_slack(search.fewest()));
  for (const Step& step : steps) {
    const std::vector<int>& carried = activations.carried[static_cast<size_t>(step.to)];
    for (size_t id = 0; id < activations.values.size(); ++id) {
      const One& one = activations.values[id];
      if (one.bytes == 0 || !is_again(one, step.way)) continue;
      const int segment = activations.segment[static_cast<size_t>(one.made)];
      if (segment <= step.from || segment > step.to) continue;
      if (std::ranges::find(carried, static_cast<int>(id)) != carried.end()) continue;
      choice.again[id] = true;
      choice.brief[id] = step.way == Way::all && one.alone;
    }
  }
  return choice;
}

}  // namespace convoy
