// Exchanges vectors (sums of a batch norm) within groups of replicas in the middle of a plan, as an
// all-gather per group: each replica gets the vectors of all replicas of its group, in their order.
// Vectors are only copied. Their lengths are counted in floats; a number of the sums, an f64, is
// two.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "dist/host_window.h"
#include "dist/replica_split.h"
#include "dist/transport.h"

namespace convoy {

class SpanExchange {
 public:
  // A group is `span` consecutive replicas. `floats[i]`: the length of one replica's vector in
  // exchange i of a run of the plan. Borrows transport and split; null `transport`: all replicas
  // are in this process. Collective: every rank constructs one at the same time.
  SpanExchange(Transport* transport, const ReplicaSplit& split, int span,
               std::vector<int64_t> floats);

  // Begins a new run of the plan.
  void start() { ++run_; }
  // Makes the vectors of this process's replicas available to the other processes.
  void publish(int exchange, std::span<const float* const> mine);
  // Waits for the other processes, and calls `meanwhile` repeatedly while it waits. all[i] receives
  // the vectors of the group of this process's replica i. Between two uses of the same exchange at
  // least one other exchange must take place: otherwise a fast process could overwrite data that a
  // slow one still reads.
  void collect(int exchange, std::span<const float* const> mine, std::span<float* const> all,
               const std::function<void()>& meanwhile);

  int64_t sent_bytes() const { return sent_bytes_; }

 private:
  struct Peer {  // another process with a replica in one of our groups
    int rank;
    std::optional<size_t> place;             // index in the window; empty: it gets messages
    std::vector<float> inbox;                // the data of all exchanges, one after another
    std::vector<Transport::Ticket> in, out;  // by exchange
    std::vector<char> sends;                 // by exchange: the send is not finished
  };
  int64_t offset(int exchange, int rank) const;
  int64_t length(int exchange, int rank) const;

  Transport* transport_;
  const ReplicaSplit& split_;
  int span_;
  std::vector<int64_t> floats_, before_;  // lengths; prefix sums of the lengths
  ReplicaRange mine_;
  std::optional<HostWindow> window_;
  std::vector<Peer> peers_;
  uint64_t run_ = 0;
  int64_t sent_bytes_ = 0;
};

}  // namespace convoy
