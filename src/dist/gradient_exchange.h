// Sums the gradients over all processes, bucket by bucket, while the backward pass still runs.
//
// Each bucket is cut into one slice per rank. Rank j, the owner of slice j, sums it; then every
// rank copies the result. Ranks of one host read each other's memory: `data()` lies in a
// shared-memory window. For each slice whose owner is on another host, one rank of this host acts
// as agent: it sends the gradients of this host's ranks, already summed as far as the tree over
// replicas allows, and receives the result. "Host" stands for a group: the ranks that share a
// window. A rank that cannot share memory is a group of its own.
//
// With `shares` (a reduce-scatter) the slices are cut at the shares of the ranks, and the owner
// keeps the sums. After it has updated its share of the parameters, `gather` distributes them in
// place of the sums: the same number of bytes.
//
// One thread calls everything, outside of tasks of the pool: `progress`, `finish` and `gather` sum
// and copy on the pool.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/threads/thread_pool.h"
#include "dist/bucket.h"
#include "dist/host_window.h"
#include "dist/replica_split.h"
#include "dist/transport.h"
#include "tensor/arena.h"

namespace convoy {

// Counters since the start of the run.
struct ExchangeTraffic {
  int64_t steps = 0;
  int64_t read_bytes = 0;                  // from the memory of other ranks on this host
  int64_t sent_bytes = 0;                  // in messages
  int64_t early_bytes = 0, all_bytes = 0;  // of buckets: without a wait in `finish`; in total
  double wait_seconds = 0;                 // in `finish` and `gather`
};

class GradientExchange {
 public:
  struct Spec {
    int64_t floats = 0;           // length of `data()`
    std::vector<Bucket> buckets;  // ascending; floats between buckets are not exchanged
    // The first `narrow_floats` floats are sent as bf16 where they are the gradients of a single
    // replica. The caller must have rounded them to bf16 already.
    int64_t narrow_floats = 0;
    bool shares_memory = true;  // false: messages only
    // By rank: the range of floats whose sums go to that rank alone. The ranges are adjacent, from
    // float 0 on; sums beyond the last one go to all ranks. Empty: all sums go to all ranks.
    std::vector<Bucket> shares = {};
  };
  // Keeps references to transport, split and pool. Collective: every rank constructs one at the
  // same time. Without a shared window, ranks of one host exchange messages too.
  GradientExchange(Transport& transport, const ReplicaSplit& split, Spec spec, ThreadPool& pool);

  // This rank's gradients. After `finish`, the sums over all ranks; with `shares`, they are valid
  // only in this rank's share and beyond the shares.
  std::span<float> data() const { return window_.mine(); }
  const std::vector<Bucket>& buckets() const { return spec_.buckets; }

  // Starts a step. Call it before the step writes to `data()`: with `shares` it waits until the
  // other ranks have copied the last step's values from there. Between `finish` and the next
  // `start` all ranks must call a collective (the exchange of results): without it a fast rank
  // could overwrite gradients or sums that a slow one still reads.
  void start();
  // Call when the gradients of this bucket are complete in `data()`, once per bucket and step; then
  // they must not be written any more. Does not sum: `progress` does.
  void begin(int bucket);
  // Advances the exchange as far as possible without waiting for other ranks.
  void progress();
  // Call after the backward pass, when `begin` was called for every bucket: waits for the rest.
  void finish();
  // Only with `shares`, and then in every step after `finish`. `values`: the parameters, laid out
  // like the gradients, of which this rank has updated its share; on return all shares are updated.
  // The content of `data()` is lost.
  void gather(std::span<float> values);

  // Sets a hook that is called when a bucket is done, with its begin and end in `steady_seconds`,
  // and after `gather`, with bucket -1. Empty: none.
  using Times = std::function<void(int bucket, double begin, double end)>;
  void time_buckets(Times hook) { times_ = std::move(hook); }

  const ExchangeTraffic& traffic() const { return traffic_; }
  // The ranks whose memory this rank can read; all others exchange messages with it.
  const std::vector<int>& neighbours() const { return window_.ranks(); }

 private:
  // The sum of one or more ranks of a group for one slice, sent as one message to the owner.
  struct Unit {
    int node = 0;               // of the sum tree
    int from = 0, to = 0;       // the agent and the owner, by rank
    bool narrow = false;        // sent as bf16
    float* sum = nullptr;       // the floats; null: they are in the row of a rank
    std::byte* wire = nullptr;  // the bf16 values
    Transport::Ticket ticket = 0;
    bool arrived = false;
  };
  // A slice that this rank reduces, or for which it is the agent.
  struct Slice {
    int owner = 0;
    Bucket where;
    std::vector<Unit> units;  // owner: to be received from the agents; agent: to be sent
    std::vector<int> others;  // owner: the agents, to which the result is sent
    std::vector<Transport::Ticket> results;  // messages with the result, sent or received
    // Owner: gathers, sends the result (or keeps it until `gather`), done. Agent: gathers, sends
    // the units, receives the result (or leaves it to the owner: kept), done.
    enum class Phase { gathers, sends, receives, kept, done } phase = Phase::gathers;
  };
  struct Work {  // state of one bucket
    std::vector<Slice> slices;
    std::vector<char> taken;  // by owner: its result is in place on this rank
    bool is_begun = false, is_done = false;
    double begun_at = 0;  // with `time_buckets`
  };

  void plan_slices(int bucket);
  Unit make_unit(int node, int from, int to, const Bucket& where, bool needs_sum);
  Bucket slice_of(const Bucket& bucket, int owner) const;
  bool is_shared(const Bucket& bucket) const;
  // Whether this rank keeps the sums of that bucket (its share) until `gather`.
  bool keeps(int bucket) const;
  int agent_of(int owner, int group) const;
  int source_of(int owner) const;
  int published_flag(int bucket) const { return bucket; }
  int result_flag(int bucket, int owner) const;
  int taken_flag() const;

  // Whether all ranks of this window have raised the flag in this step.
  bool all_raised(int flag) const;
  std::span<float> mine(const Bucket& where) const;
  bool advance(int bucket);
  void advance_own(int bucket, Slice& slice);
  void publish(int bucket, Slice& slice);
  void expect_result(int bucket, Slice& slice);
  void wait_for_open();
  void advance_agent(int bucket, Slice& slice);
  bool receive_units(Slice& slice);
  void send_unit(int bucket, const Slice& slice, Unit& unit);
  bool take_results(int bucket);
  // Fills `at_` with the addresses of the gradients of the ranks in this window.
  void point_at_rows(const Slice& slice);
  void sum(int node, int64_t count, float* target);
  void copy(const float* from, float* to, int64_t count);

  Transport& transport_;
  const ReplicaSplit& split_;
  Spec spec_;
  ThreadPool& pool_;
  HostWindow window_;
  std::vector<int> group_of_;             // by rank; ranks that share a window are a group
  std::vector<std::vector<int>> groups_;  // the ranks of each group, ascending
  std::vector<Work> work_;                // by bucket
  std::vector<const float*> at_;          // by node: see SumTree::sum
  std::vector<std::unique_ptr<Arena>> staging_;
  uint64_t step_ = 0;
  int open_ = 0;               // unfinished buckets of this step
  std::span<float> gathered_;  // during `gather`
  ExchangeTraffic traffic_;
  Times times_;
};

}  // namespace convoy
