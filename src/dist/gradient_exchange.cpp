#include "dist/gradient_exchange.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "kernels/cast.h"
#include "tensor/kernel.h"

namespace convoy {
namespace {

// Message kinds. All units of a slice have one tag: both sides list them in the same order.
constexpr int to_owner = 0, to_agent = 1;

int tag_of(int bucket, int kind) { return bucket * 2 + kind; }

}  // namespace

GradientExchange::GradientExchange(Transport& transport, const ReplicaSplit& split, Spec spec,
                                   ThreadPool& pool)
    : transport_(transport),
      split_(split),
      spec_(std::move(spec)),
      pool_(pool),
      window_(transport, spec_.floats,
              static_cast<int>(spec_.buckets.size()) * (1 + transport.size()) + 1,
              !spec_.shares_memory) {
  expect(split.processes() == transport.size(), "a split for these processes");
  expect(spec_.buckets.size() < 8192, "buckets that tags can tell apart");
  expect(!spec_.buckets.empty() && spec_.buckets.back().end() <= spec_.floats, "buckets of it");
  const int first = window_.ranks().front();
  std::vector<int> firsts(static_cast<size_t>(transport.size()));
  transport.all_gather(std::as_bytes(std::span(&first, 1)),
                       std::as_writable_bytes(std::span(firsts)));
  group_of_.resize(firsts.size());
  for (size_t r = 0; r < firsts.size(); ++r) {
    const auto first_of = static_cast<size_t>(firsts[r]);
    group_of_[r] = first_of == r ? static_cast<int>(groups_.size()) : group_of_[first_of];
    if (first_of == r) groups_.emplace_back();
    groups_[static_cast<size_t>(group_of_[r])].push_back(static_cast<int>(r));
  }
  at_.resize(split.tree().nodes().size());
  work_.resize(spec_.buckets.size());
  for (size_t b = 0; b < work_.size(); ++b) plan_slices(static_cast<int>(b));
}

bool GradientExchange::is_shared(const Bucket& bucket) const {
  return !spec_.shares.empty() && bucket.begin < spec_.shares.back().end();
}

bool GradientExchange::keeps(int bucket) const {
  return gathered_.empty() && is_shared(spec_.buckets[static_cast<size_t>(bucket)]);
}

Bucket GradientExchange::slice_of(const Bucket& bucket, int owner) const {
  if (is_shared(bucket)) {
    const Bucket& share = spec_.shares[static_cast<size_t>(owner)];
    const int64_t begin = std::max(bucket.begin, share.begin);
    return {begin, std::max<int64_t>(0, std::min(bucket.end(), share.end()) - begin)};
  }
  const int64_t each = round_up(divide_up(bucket.count, transport_.size()), 16);
  const int64_t begin = std::min(owner * each, bucket.count);
  return {bucket.begin + begin, std::min(each, bucket.count - begin)};
}

int GradientExchange::agent_of(int owner, int group) const {
  const std::vector<int>& ranks = groups_[static_cast<size_t>(group)];
  return ranks[static_cast<size_t>(owner) % ranks.size()];
}

// The rank of this window in whose row the result of a slice appears.
int GradientExchange::source_of(int owner) const {
  const int mine = group_of_[static_cast<size_t>(transport_.rank())];
  return group_of_[static_cast<size_t>(owner)] == mine ? owner : agent_of(owner, mine);
}

int GradientExchange::result_flag(int bucket, int owner) const {
  return static_cast<int>(spec_.buckets.size()) + bucket * transport_.size() + owner;
}

int GradientExchange::taken_flag() const {
  return static_cast<int>(spec_.buckets.size()) * (1 + transport_.size());
}

GradientExchange::Unit GradientExchange::make_unit(int node, int from, int to, const Bucket& where,
                                                   bool needs_sum) {
  const SumTree::Node& at = split_.tree().nodes()[static_cast<size_t>(node)];
  Unit unit{.node = node, .from = from, .to = to};
  unit.narrow =
      at.is_leaf() && split_.range(at.first).count == 1 && where.end() <= spec_.narrow_floats;
  const auto memory = [&](int64_t bytes) {
    staging_.push_back(std::make_unique<Arena>(static_cast<size_t>(bytes)));
    return staging_.back()->data();
  };
  if (needs_sum) unit.sum = reinterpret_cast<float*>(memory(where.count * 4));
  if (unit.narrow) unit.wire = memory(where.count * 2);
  return unit;
}

void GradientExchange::plan_slices(int bucket) {
  Work& work = work_[static_cast<size_t>(bucket)];
  const int rank = transport_.rank();
  const int mine = group_of_[static_cast<size_t>(rank)];
  work.taken.resize(static_cast<size_t>(transport_.size()));
  const auto nodes_of = [&](int group) {
    return split_.tree().whole_nodes(
        [&](int r) { return group_of_[static_cast<size_t>(r)] == group; });
  };
  for (int owner = 0; owner < transport_.size(); ++owner) {
    Slice slice{.owner = owner,
                .where = slice_of(spec_.buckets[static_cast<size_t>(bucket)], owner)};
    if (slice.where.count == 0) continue;
    if (owner == rank) {
      for (int group = 0; group < static_cast<int>(groups_.size()); ++group) {
        if (group == mine) continue;
        const int agent = agent_of(owner, group);
        slice.others.push_back(agent);
        for (const int node : nodes_of(group)) {
          slice.units.push_back(make_unit(node, agent, rank, slice.where, true));
        }
      }
    } else if (group_of_[static_cast<size_t>(owner)] != mine && agent_of(owner, mine) == rank) {
      for (const int node : nodes_of(mine)) {
        const bool is_sum = !split_.tree().nodes()[static_cast<size_t>(node)].is_leaf();
        slice.units.push_back(make_unit(node, rank, owner, slice.where, is_sum));
      }
    } else {
      continue;
    }
    work.slices.push_back(std::move(slice));
  }
}

void GradientExchange::start() {
  expect(open_ == 0, "the last step is finished");
  if (!spec_.shares.empty() && step_ > 0) {  // others may still copy from this row
    wait_until([&] { return all_raised(taken_flag()); });
  }
  ++step_;
  ++traffic_.steps;
  open_ = static_cast<int>(work_.size());
  for (size_t b = 0; b < work_.size(); ++b) {
    Work& work = work_[b];
    work.is_begun = work.is_done = false;
    std::ranges::fill(work.taken, 0);
    for (Slice& slice : work.slices) {
      slice.phase = Slice::Phase::gathers;
      slice.results.clear();
      if (slice.owner != transport_.rank()) continue;
      for (Unit& unit : slice.units) {
        const auto count = static_cast<size_t>(slice.where.count);
        unit.arrived = false;
        unit.ticket =
            transport_.receive(unit.from, tag_of(static_cast<int>(b), to_owner),
                               unit.narrow ? std::span(unit.wire, count * 2)
                                           : std::as_writable_bytes(std::span(unit.sum, count)));
      }
    }
  }
}

void GradientExchange::begin(int bucket) {
  Work& work = work_[static_cast<size_t>(bucket)];
  expect(!work.is_begun, "a bucket begins once a step");
  work.is_begun = true;
  if (times_) work.begun_at = steady_seconds();
  window_.raise_flag(published_flag(bucket), step_);
}

void GradientExchange::progress() {
  for (size_t b = 0; b < work_.size(); ++b) {
    Work& work = work_[b];
    if (!work.is_begun || work.is_done || !advance(static_cast<int>(b))) continue;
    work.is_done = true;
    --open_;
    if (times_ && gathered_.empty()) times_(static_cast<int>(b), work.begun_at, steady_seconds());
  }
}

void GradientExchange::finish() {
  progress();
  for (size_t b = 0; b < work_.size(); ++b) {
    expect(work_[b].is_begun, "every bucket was begun");
    const int64_t bytes = spec_.buckets[b].count * 4;
    traffic_.all_bytes += bytes;
    if (work_[b].is_done) traffic_.early_bytes += bytes;
  }
  wait_for_open();
}

void GradientExchange::wait_for_open() {
  const double before = steady_seconds();
  wait_until([&] {
    progress();
    return open_ == 0;
  });
  traffic_.wait_seconds += steady_seconds() - before;
}

// Overwrites only slices of which this rank is owner or agent: those it has summed or sent.
void GradientExchange::gather(std::span<float> values) {
  expect(open_ == 0 && !spec_.shares.empty(), "sums of shares");
  const double begin = times_ ? steady_seconds() : 0;
  gathered_ = values;
  for (size_t b = 0; b < work_.size(); ++b) {
    if (!is_shared(spec_.buckets[b])) continue;
    work_[b].is_done = false;
    ++open_;
    for (Slice& slice : work_[b].slices) {
      if (slice.owner == transport_.rank()) {
        copy(values.data() + slice.where.begin, window_.mine().data() + slice.where.begin,
             slice.where.count);
        publish(static_cast<int>(b), slice);
      } else {
        expect_result(static_cast<int>(b), slice);
      }
    }
  }
  wait_for_open();
  gathered_ = {};
  window_.raise_flag(taken_flag(), step_);
  if (times_) times_(-1, begin, steady_seconds());
}

void GradientExchange::copy(const float* from, float* to, int64_t count) {
  const Chunks chunks{count};
  pool_.run(chunks.tasks(), [&](int task, int) {
    std::copy_n(from + chunks.begin(task), chunks.length(task), to + chunks.begin(task));
  });
}

bool GradientExchange::all_raised(int flag) const {
  for (size_t place = 0; place < window_.ranks().size(); ++place) {
    if (!window_.is_raised(place, flag, step_)) return false;
  }
  return true;
}

std::span<float> GradientExchange::mine(const Bucket& where) const {
  return data().subspan(static_cast<size_t>(where.begin), static_cast<size_t>(where.count));
}

bool GradientExchange::advance(int bucket) {
  bool done = true;
  for (Slice& slice : work_[static_cast<size_t>(bucket)].slices) {
    if (slice.owner == transport_.rank()) {
      advance_own(bucket, slice);
    } else {
      advance_agent(bucket, slice);
    }
    done = done && (slice.phase == Slice::Phase::done || slice.phase == Slice::Phase::kept);
  }
  return (keeps(bucket) || take_results(bucket)) && done;
}

bool GradientExchange::receive_units(Slice& slice) {
  bool all = true;
  for (Unit& unit : slice.units) {
    if (unit.arrived) continue;
    unit.arrived = transport_.is_done(unit.ticket);
    all = all && unit.arrived;
    if (!unit.arrived || !unit.narrow) continue;
    kernels::bf16_to_f32(reinterpret_cast<const uint16_t*>(unit.wire), unit.sum, slice.where.count);
  }
  return all;
}

void GradientExchange::point_at_rows(const Slice& slice) {
  std::ranges::fill(at_, nullptr);
  for (size_t place = 0; place < window_.ranks().size(); ++place) {
    const int rank = window_.ranks()[place];
    at_[static_cast<size_t>(split_.tree().leaf(rank))] =
        window_.row(place).data() + slice.where.begin;
  }
}

void GradientExchange::sum(int node, int64_t count, float* target) {
  const Chunks chunks{count};
  pool_.run(chunks.tasks(), [&](int task, int) {
    const float*
        at[2 * ReplicaSplit::most_processes];  // the same terms from the task's first element on
    for (size_t i = 0; i < at_.size(); ++i) at[i] = at_[i] ? at_[i] + chunks.begin(task) : nullptr;
    split_.tree().sum(node, std::span(at, at_.size()), target + chunks.begin(task),
                      chunks.length(task));
  });
}

void GradientExchange::advance_own(int bucket, Slice& slice) {
  if (slice.phase == Slice::Phase::gathers) {
    const bool arrived = receive_units(slice);
    if (!arrived || !all_raised(published_flag(bucket))) return;
    point_at_rows(slice);
    for (const Unit& unit : slice.units) at_[static_cast<size_t>(unit.node)] = unit.sum;
    float* result = window_.mine().data() + slice.where.begin;
    sum(split_.tree().root(), slice.where.count, result);
    const auto others = static_cast<int64_t>(window_.ranks().size()) - 1;
    traffic_.read_bytes += others * slice.where.count * 4;
    if (keeps(bucket)) {
      slice.phase = Slice::Phase::kept;
    } else {
      publish(bucket, slice);
    }
  }
  if (slice.phase == Slice::Phase::sends) {
    std::erase_if(slice.results, [&](Transport::Ticket t) { return transport_.is_done(t); });
    if (slice.results.empty()) slice.phase = Slice::Phase::done;
  }
}

void GradientExchange::publish(int bucket, Slice& slice) {
  window_.raise_flag(result_flag(bucket, slice.owner), step_);
  const auto bytes = std::as_bytes(mine(slice.where));
  for (const int agent : slice.others) {
    slice.results.push_back(transport_.send(agent, tag_of(bucket, to_agent), bytes));
    traffic_.sent_bytes += static_cast<int64_t>(bytes.size());
  }
  slice.phase = Slice::Phase::sends;
}

void GradientExchange::send_unit(int bucket, const Slice& slice, Unit& unit) {
  const SumTree::Node& node = split_.tree().nodes()[static_cast<size_t>(unit.node)];
  const int64_t count = slice.where.count;
  if (unit.sum) sum(unit.node, count, unit.sum);
  const float* from = unit.sum ? unit.sum : at_[static_cast<size_t>(unit.node)];
  for (int rank = node.first; rank < node.last; ++rank) {
    if (rank != transport_.rank()) traffic_.read_bytes += count * 4;
  }
  std::span<const std::byte> bytes = std::as_bytes(std::span(from, static_cast<size_t>(count)));
  if (unit.narrow) {
    kernels::f32_to_bf16(from, reinterpret_cast<uint16_t*>(unit.wire), count);
    bytes = {unit.wire, static_cast<size_t>(count) * 2};
  }
  unit.ticket = transport_.send(unit.to, tag_of(bucket, to_owner), bytes);
  unit.arrived = false;
  traffic_.sent_bytes += static_cast<int64_t>(bytes.size());
}

void GradientExchange::advance_agent(int bucket, Slice& slice) {
  if (slice.phase == Slice::Phase::gathers) {
    if (!all_raised(published_flag(bucket))) return;
    point_at_rows(slice);
    for (Unit& unit : slice.units) send_unit(bucket, slice, unit);
    slice.phase = Slice::Phase::sends;
  }
  if (slice.phase == Slice::Phase::sends) {
    // Wait for the sends first: the result may be written to the memory that they read.
    bool all = true;
    for (Unit& unit : slice.units) {
      unit.arrived = unit.arrived || transport_.is_done(unit.ticket);
      all = all && unit.arrived;
    }
    if (!all) return;
    if (keeps(bucket)) {
      slice.phase = Slice::Phase::kept;
    } else {
      expect_result(bucket, slice);
    }
  }
  if (slice.phase == Slice::Phase::receives && transport_.is_done(slice.results.front())) {
    slice.results.clear();
    window_.raise_flag(result_flag(bucket, slice.owner), step_);
    slice.phase = Slice::Phase::done;
  }
}

void GradientExchange::expect_result(int bucket, Slice& slice) {
  slice.results.assign(1, transport_.receive(slice.owner, tag_of(bucket, to_agent),
                                             std::as_writable_bytes(mine(slice.where))));
  slice.phase = Slice::Phase::receives;
}

bool GradientExchange::take_results(int bucket) {
  Work& work = work_[static_cast<size_t>(bucket)];
  bool all = true;
  for (int owner = 0; owner < transport_.size(); ++owner) {
    char& taken = work.taken[static_cast<size_t>(owner)];
    if (taken) continue;
    const Bucket where = slice_of(spec_.buckets[static_cast<size_t>(bucket)], owner);
    const int source = source_of(owner);
    // Sums received in this rank's row are already in place; gathered values are not.
    const bool stands =
        gathered_.empty() ? source == transport_.rank() : owner == transport_.rank();
    if (where.count > 0 && !stands) {
      const size_t place = window_.place_of(source);
      if (!window_.is_raised(place, result_flag(bucket, owner), step_)) {
        all = false;
        continue;
      }
      copy(window_.row(place).data() + where.begin,
           (gathered_.empty() ? window_.mine() : gathered_).data() + where.begin, where.count);
      if (source != transport_.rank()) traffic_.read_bytes += where.count * 4;
    }
    taken = 1;
  }
  return all;
}

}  // namespace convoy
