// The sum of gradients over all processes, bucket by bucket, while the backward pass goes on.
//
// A bucket is cut into as many slices as there are ranks; rank j adds up slice j and everybody
// takes the result. Within a host all of this is reading one another's memory (`data()` lies in a
// window). Of each slice that belongs to another host one rank of this host, its agent, sends what
// this host's ranks have, summed as far as the tree of the replicas allows, and takes the result.
//
// With `shares` the sums stay with the rank whose share they are; what it makes of them travels in
// place of the results, by `gather`: as many bytes.
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

// Of about so many floats each, by size alone.
std::vector<Bucket> cut_into_buckets(int64_t floats, int64_t bucket_floats);

// Since the start.
struct ExchangeTraffic {
  int64_t steps = 0;
  int64_t read_bytes = 0;                  // from the memory of other ranks of the host
  int64_t sent_bytes = 0;                  // in messages
  int64_t early_bytes = 0, all_bytes = 0;  // of buckets: done before backward ended, and in all
  double wait_seconds = 0;                 // after it
};

class GradientExchange {
 public:
  struct Spec {
    int64_t floats = 0;           // of `data()`
    std::vector<Bucket> buckets;  // of it, ascending; what lies between them does not travel
    // What a single replica has of these many floats from the start travels as bf16: it must be
    // such numbers.
    int64_t narrow_floats = 0;
    bool shares_memory = true;  // false: messages alone
    // By rank, one behind the other from the first float on: what each gets of the sums, instead of
    // all; further buckets go to everybody. Empty: all do.
    std::vector<Bucket> shares = {};
  };
  // Keeps transport, split and pool. Every rank makes one at the same time. Without a window ranks
  // of one host send messages too.
  GradientExchange(Transport& transport, const ReplicaSplit& split, Spec spec, ThreadPool& pool);

  // This rank's sums go here; after `finish` it holds those of all, or of its share.
  std::span<float> data() const { return window_.mine(); }
  const std::vector<Bucket>& buckets() const { return spec_.buckets; }

  // A new step: only after every rank has finished the last one and said so (any collective).
  void start();
  // `data()` of that bucket is complete.
  void begin(int bucket);
  // Does what can be done without waiting.
  void progress();
  // The backward pass is over and every bucket begun: waits for the rest.
  void finish();
  // With shares, after `finish` of every step: this rank has filled its share of `values`, a vector
  // like the gradients; all get all. `data()` is spent.
  void gather(std::span<float> values);

  // Called when a bucket is done, with the seconds (of `steady_seconds`) since when it was begun
  // and now, and when all is gathered (bucket -1); empty: no more.
  using Times = std::function<void(int bucket, double begin, double end)>;
  void time_buckets(Times hook) { times_ = std::move(hook); }

  const ExchangeTraffic& traffic() const { return traffic_; }
  // Ranks that read one another's memory; the others get messages.
  const std::vector<int>& neighbours() const { return window_.ranks(); }

 private:
  // What several ranks of a group have of a slice, as one message.
  struct Unit {
    int node = 0;               // of the tree
    int from = 0, to = 0;       // ranks
    bool narrow = false;        // travels as bf16
    float* sum = nullptr;       // where it stands as floats; null: in the row of a rank
    std::byte* wire = nullptr;  // as bf16
    Transport::Ticket ticket = 0;
    bool arrived = false;
  };
  // A slice that this rank adds up, or that it is the agent of.
  struct Slice {
    int owner = 0;
    Bucket where;
    std::vector<Unit> units;  // to be received, or to be sent
    std::vector<int> others;  // as the owner: agents who wait for the result
    std::vector<Transport::Ticket> results;
    enum class Phase { gathers, sends, receives, kept, done } phase = Phase::gathers;
  };
  struct Work {  // of one bucket
    std::vector<Slice> slices;
    std::vector<char> taken;  // by owner
    bool is_begun = false, is_done = false;
    double begun_at = 0;  // with `time_buckets`
  };

  void plan_slices(int bucket);
  Unit make_unit(int node, int from, int to, const Bucket& where, bool needs_sum);
  Bucket slice_of(const Bucket& bucket, int owner) const;
  bool is_shared(const Bucket& bucket) const;
  // The sums of that bucket stay where they are, for now.
  bool keeps(int bucket) const;
  int agent_of(int owner, int group) const;
  int source_of(int owner) const;
  int published_flag(int bucket) const { return bucket; }
  int result_flag(int bucket, int owner) const;
  int taken_flag() const;

  bool all_published(int bucket) const;
  bool advance(int bucket);
  void advance_own(int bucket, Slice& slice);
  void publish(int bucket, Slice& slice);
  void expect_result(int bucket, Slice& slice);
  void wait_for_open();
  void advance_agent(int bucket, Slice& slice);
  bool receive_units(Slice& slice);
  void send_unit(int bucket, const Slice& slice, Unit& unit);
  bool take_results(int bucket);
  // Points at what the ranks of this window have.
  void point_at_rows(const Slice& slice);
  void sum(int node, int64_t count, float* target);
  void copy(const float* from, float* to, int64_t count);

  Transport& transport_;
  const ReplicaSplit& split_;
  Spec spec_;
  ThreadPool& pool_;
  HostWindow window_;
  std::vector<int> group_of_;             // by rank: those who share a window are a group
  std::vector<std::vector<int>> groups_;  // ranks
  std::vector<Work> work_;                // by bucket
  std::vector<const float*> at_;          // by node: see SumTree::sum
  std::vector<std::unique_ptr<Arena>> staging_;
  uint64_t step_ = 0;
  int open_ = 0;               // buckets of this step that are not done
  std::span<float> gathered_;  // while it gathers
  ExchangeTraffic traffic_;
  Times times_;
};

}  // namespace convoy
