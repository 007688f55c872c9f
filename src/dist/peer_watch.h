// Notices when another process of the run has died or hangs; MPI alone would wait for it forever.
// Each rank runs a thread for this, which sleeps most of the time. The other ranks have a TCP
// connection to rank 0, over which both sides send a heartbeat every second.
//
// Rank 0 decides which rank is lost, and tells all others; rank 0 itself is lost for a rank that no
// longer hears from it. A rank is lost
//   - at once, if its connection closes without a goodbye;
//   - after the stall timeout, if it sends nothing;
//   - after the stall timeout, if it sends heartbeats but its work makes no progress, while another
//     rank waits.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/files/file_operation.h"
#include "dist/watch_door.h"

namespace convoy {

struct PeerLoss {
  int rank = -1;      // -1: not one particular rank
  int exit_code = 7;  // exit code for the run
  std::string text;   // "rank 2 (host n17, pid 4711) stopped answering at step 37"
  bool told = false;  // the user has been told; this rank prints nothing
};

class PeerWatch {
 public:
  struct Options {
    int rank = 0, size = 1;
    std::string host;
    double stall_timeout_s = 60;
    double beat_s = 1;
  };

  // Rank 0 passes the door, the other ranks its address. `on_loss` is called at most once, in the
  // watch's own thread. An unreadable address is Fault::peer.
  PeerWatch(Options options, std::unique_ptr<WatchDoor> door, const std::string& address,
            std::function<void(const PeerLoss&)> on_loss);
  // Normal end: says goodbye, so that this rank is not reported as lost.
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  // What this rank does now. Any thread may call these at any time.
  // waiting: for other ranks. long_work: the start of the run, which reports no progress, so that
  // its stall timeout is ten times as long.
  enum class Doing { working, waiting, long_work };
  void at_step(int64_t step) { step_ = step; }
  void is_doing(Doing doing) { doing_ = doing; }
  Doing doing() const { return doing_; }
  void advance() { ++progress_; }  // some work was done

  // The first loss, if any. Cheap enough to poll while waiting.
  bool has_loss() const { return lost_; }
  std::optional<PeerLoss> loss() const;

  // This rank is about to exit with an error of its own; the others will exit with the same code.
  // Waits briefly until the message is sent.
  void fail(int exit_code, const std::string& text);

 private:
  class Monitor;
  class Member;
  // The thread's function in rank 0, and in the other ranks.
  std::function<void()> monitor(std::unique_ptr<WatchDoor> door);
  std::function<void()> member(const std::string& address);

  std::string beat() const;
  // Progress of the work or of file operations: writing a long checkpoint counts as progress.
  uint64_t progress() const { return progress_ + file_operations_done(); }
  // Whether this process did not run for so long (SIGSTOP, suspend) that the others reported it
  // lost.
  bool was_stopped(double gap_s);
  // Records a loss, the first one only: the thread then tells the other ranks (in rank 0) and ends.
  void report(PeerLoss loss);
  // Makes the recorded loss visible to this process (`has_loss`) and calls `on_loss`.
  void publish();

  const Options options_;
  const std::function<void(const PeerLoss&)> on_loss_;
  std::atomic<int64_t> step_{0};
  std::atomic<uint64_t> progress_{0};
  std::atomic<Doing> doing_{Doing::long_work};  // until training begins
  std::atomic<bool> found_{false}, lost_{false}, leaving_{false}, failing_{false}, sent_{false};
  mutable std::mutex mutex_;
  std::optional<PeerLoss> loss_;
  std::string failure_;  // of `fail`: "CODE TEXT"
  std::thread thread_;
};

}  // namespace convoy
