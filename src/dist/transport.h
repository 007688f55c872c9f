// How the processes of a run reach one another: messages, and memory shared within a host. `World`
// is the real one; tests have one of threads.
//
// Nothing moves by itself: messages advance only inside calls (`is_done`, `wait`, the collectives).
// One thread at a time may call.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace convoy {

// Zeroed memory that the ranks of a host see alike, until the last of them lets go. Without data
// when the system refused it.
struct SharedMemory {
  std::span<std::byte> bytes;
  std::shared_ptr<void> owner;
};

class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Hosts count from 0 in the order of their first rank.
  virtual int host_of(int rank) const = 0;

  // A message that has been begun; the memory must stay until it is done. Of two ranks and one tag
  // the first message sent meets the first receive, whichever is asked for first. Tags: below
  // 32768.
  using Ticket = int;
  virtual Ticket send(int to, int tag, std::span<const std::byte> bytes) = 0;
  virtual Ticket receive(int from, int tag, std::span<std::byte> bytes) = 0;
  // True once; the ticket is spent then.
  virtual bool is_done(Ticket ticket) = 0;

  // Collectives: every rank calls them in the same order.
  virtual void barrier() = 0;
  virtual void broadcast(int root, std::span<std::byte> bytes) = 0;
  // What each rank gave, by rank; any lengths.
  virtual std::vector<std::string> all_gather(const std::string& mine) = 0;
  // Equal lengths, into memory that is there: by rank.
  virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  // Among the ranks of this host; without data on all of them when one cannot have it.
  virtual SharedMemory share(size_t bytes) = 0;

  // The same between these ranks alone, ascending and this one among them: they count from 0 there,
  // and so do their hosts. Messages and collectives of a group never meet those of others. Every
  // rank of the group makes it at the same time; it must not outlive this transport.
  virtual std::unique_ptr<Transport> group(const std::vector<int>& ranks) = 0;

  void wait(Ticket ticket);
  // Any length.
  std::string broadcast(int root, const std::string& text);
  // The ranks of this rank's host, ascending, and its place among them.
  std::vector<int> neighbours() const;
  int local_rank() const;
  int hosts() const;
};

// Hears of a thread's waits for other processes, and of its work between them.
class WaitObserver {
 public:
  virtual ~WaitObserver() = default;
  virtual void advance() = 0;     // a piece of work is done
  virtual void begin_wait() = 0;  // it takes longer than a moment
  virtual void look() = 0;        // again and again; may throw, to end the wait
  virtual void end_wait() = 0;
};
// Of the calling thread: one at a time; null: none.
void observe_waits(WaitObserver* observer);
// Tells it that a piece of work is done.
void note_progress();

// Calls until it is true: at once again for a while, then with short sleeps between, so that a rank
// that waits leaves its core to others.
void wait_until(const std::function<bool()>& is_true);

}  // namespace convoy
