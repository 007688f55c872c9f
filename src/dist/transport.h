// How the processes of a run communicate: messages, and memory shared within a host. `World`
// implements it by MPI; tests have an implementation by threads.
//
// Messages advance only inside calls (`is_done`, `wait`, the collectives), not in the background.
// Only one thread at a time may call.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace convoy {

// Zeroed memory that all ranks of a host see, freed when the last of them releases `owner`. `bytes`
// is empty if the system refused it.
struct SharedMemory {
  std::span<std::byte> bytes;
  std::shared_ptr<void> owner;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Hosts are numbered from 0 in the order of their first rank.
  virtual int host_of(int rank) const = 0;

  // Starts a message; its memory must stay valid until `is_done`. Between two ranks, messages of
  // one tag are matched in the order of the calls. Tags are below 32768.
  using Ticket = int;
  virtual Ticket send(int to, int tag, std::span<const std::byte> bytes) = 0;
  virtual Ticket receive(int from, int tag, std::span<std::byte> bytes) = 0;
  // Whether the message has been sent or received. After it has returned true the ticket is
  // invalid.
  virtual bool is_done(Ticket ticket) = 0;

  // Collectives: every rank must call them in the same order.
  virtual void barrier() = 0;
  virtual void broadcast(int root, std::span<std::byte> bytes) = 0;
  // The texts of all ranks, by rank; lengths may differ.
  virtual std::vector<std::string> all_gather(const std::string& mine) = 0;
  // Equal lengths, into memory of the caller, by rank.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  // Shared among the ranks of this host; empty on all of them if one of them cannot have it.
  virtual SharedMemory share(size_t bytes) = 0;

  // A transport among `ranks` only (ascending, this rank included). Ranks and hosts are numbered
  // from 0 within the group. Its messages and collectives never mix with those of other groups.
  // Collective among the members; it must not outlive this transport.
  virtual std::unique_ptr<Transport> group(const std::vector<int>& ranks) = 0;

  void wait(Ticket ticket);
  // The text may have any length.
  std::string broadcast(int root, const std::string& text);
  // The ranks of this host, ascending; then the index of this rank among them.
  std::vector<int> neighbours() const;
  int local_rank() const;
  int hosts() const;
};

// Is told by a thread when it waits for other processes, and when it has done work between the
// waits.
class WaitObserver {
 public:
  virtual ~WaitObserver() = default;
  virtual void advance() = 0;     // a piece of work is done
  virtual void begin_wait() = 0;  // after a short time of polling
  virtual void look() = 0;        // called repeatedly; may throw to end the wait
  virtual void end_wait() = 0;
};
// Sets the observer of the calling thread, replacing the last one; null: none.
void observe_waits(WaitObserver* observer);
// Tells the observer that a piece of work is done.
void note_progress();

// Calls `is_true` until it returns true: first in a busy loop, then with short sleeps, so that a
// waiting rank leaves its core to others.
void wait_until(const std::function<bool()>& is_true);

}  // namespace convoy
