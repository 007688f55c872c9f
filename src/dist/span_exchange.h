// Vectors of replicas that share something (a batch norm's sums), brought together in the middle of
// a plan: every replica of a group gets those of all its members, in the order of replicas.
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
  // Groups are `span` consecutive replicas. `floats`: of each exchange of a run, in their order,
  // what one replica gives. Keeps transport and split; `transport` null: all replicas are here.
  // Every rank makes one at the same time.
  SpanExchange(Transport* transport, const ReplicaSplit& split, int span,
               std::vector<int64_t> floats);

  // A new run of the plan.
  void start() { ++run_; }
  // By replica of this process.
  void publish(int exchange, std::span<const float* const> mine);
  // Waits for the others. all[i] gets what the members of replica i's group gave. Between two runs
  // of one exchange every process must pass another one: then nobody is overtaken.
  void collect(int exchange, std::span<const float* const> mine, std::span<float* const> all,
               const std::function<void()>& meanwhile);

  int64_t sent_bytes() const { return sent_bytes_; }

 private:
  struct Peer {  // another process with a replica of one of our groups
    int rank;
    std::optional<size_t> place;             // in the window; none: it gets messages
    std::vector<float> inbox;                // all exchanges one after another
    std::vector<Transport::Ticket> in, out;  // by exchange
    std::vector<char> sends;                 // by exchange: out is open
  };
  int64_t offset(int exchange, int rank) const;
  int64_t length(int exchange, int rank) const;

  Transport* transport_;
  const ReplicaSplit& split_;
  int span_;
  std::vector<int64_t> floats_, before_;  // of each exchange; of all exchanges before it
  ReplicaRange mine_;
  std::optional<HostWindow> window_;
  std::vector<Peer> peers_;
  uint64_t run_ = 0;
  int64_t sent_bytes_ = 0;
};

}  // namespace convoy
