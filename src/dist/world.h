// All processes of this run, by MPI; the only door to it. A process that neither mpirun nor srun
// started is a world of its own, and makes no MPI call at all.
#pragma once

#include <memory>

#include "dist/transport.h"

namespace convoy {

// Ranks that reach one another by an MPI communicator.
class MpiRanks : public Transport {
 public:
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(hosts_.size()); }
  int host_of(int rank) const override { return hosts_[static_cast<size_t>(rank)]; }
  Ticket send(int to, int tag, std::span<const std::byte> bytes) override;
  Ticket receive(int from, int tag, std::span<std::byte> bytes) override;
  bool is_done(Ticket ticket) override;
  void barrier() override;
  using Transport::broadcast;
  void broadcast(int root, std::span<std::byte> bytes) override;
  std::vector<std::string> all_gather(const std::string& mine) override;
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
  SharedMemory share(size_t bytes) override;
  std::unique_ptr<Transport> group(const std::vector<int>& ranks) override;

 protected:
  MpiRanks();
  struct Messages;  // what MPI knows by its own types
  // Takes the communicator.
  void open(std::unique_ptr<Messages> messages);

  std::unique_ptr<Messages> messages_;  // null: a single rank, without MPI

 private:
  int rank_ = 0;
  std::vector<int> hosts_{0};
};

class World final : public MpiRanks {
 public:
  // By the environment, without a call.
  static bool started_by_mpi();

  // The one of this process. The first call waits for all ranks where there are several.
  static World& get();
  // Whether `get` has been called: an error before that is this process's own affair.
  static bool is_joined();

  const std::string& host_name() const { return host_name_; }
  // "[rank 3 host n17] ", for what this rank says itself; empty in a world of one.
  std::string label() const;

  // The good end: waits for all. What the process leaves with is its own affair.
  void leave();
  // The bad end: every rank is ended, and mpirun leaves with this code.
  [[noreturn]] void abort(int code);

 private:
  World();

  std::string host_name_;
};

}  // namespace convoy
