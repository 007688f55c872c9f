// All processes of this run, by MPI; only world.cpp includes mpi.h. A process that was not started
// by mpirun or srun is a world of one rank and makes no MPI call.
#pragma once

#include <memory>

#include "dist/transport.h"

namespace convoy {

// A set of ranks with an MPI communicator.
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
  struct Messages;  // MPI's own types, hidden here
  // Takes ownership of the communicator.
  void open(std::unique_ptr<Messages> messages);

  std::unique_ptr<Messages> messages_;  // null: a single rank without MPI

 private:
  int rank_ = 0;
  std::vector<int> hosts_{0};
};

class World final : public MpiRanks {
 public:
  // Whether mpirun or srun started this process: decided by environment variables, without MPI
  // calls.
  static bool started_by_mpi();

  // The world of this process. The first call waits for all ranks.
  static World& get();
  // Whether `get` was called. Before that an error ends this process alone.
  static bool is_joined();

  const std::string& host_name() const { return host_name_; }
  // "[rank 3 host n17] ", the prefix of this rank's messages; empty in a world of one.
  std::string label() const;

  // Normal end: waits for all ranks. The exit code is up to the caller.
  void leave();
  // Error: ends every rank; mpirun exits with this code.
  [[noreturn]] void abort(int code);

 private:
  World();

  std::string host_name_;
};

}  // namespace convoy
