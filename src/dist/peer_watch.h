// Notices that another process of the run has died or hangs, while MPI would wait for it for ever:
// a sleeping thread in every rank, a TCP connection from each to rank 0, a heartbeat a second.
//
// Rank 0 judges the others and tells everybody; who hears nothing from rank 0 any more judges rank
// 0. A connection that closes without a goodbye is a loss at once; silence is one after the stall
// timeout; and so is a rank whose thread answers while its work stands still and others wait for
// it.
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
  int rank = -1;      // -1: no single one
  int exit_code = 7;  // to leave with
  std::string text;   // "rank 2 (host n17, pid 4711) stopped answering at step 37"
  bool told = false;  // rank 0 says it to the user; this rank need not
};

class PeerWatch {
 public:
  struct Options {
    int rank = 0, size = 1;
    std::string host;
    double stall_timeout_s = 60;
    double beat_s = 1;
  };

  // Rank 0 brings the door, the others its address. `on_loss` is called once, in the watch's own
  // thread. An address that makes no sense is Fault::peer.
  PeerWatch(Options options, std::unique_ptr<WatchDoor> door, const std::string& address,
            std::function<void(const PeerLoss&)> on_loss);
  // The good end: says goodbye, so that nobody misses us.
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  // What the run does now; any thread may say so at any time.
  enum class Doing { working, waiting, long_work };  // long: the start, which shows no progress
  void at_step(int64_t step) { step_ = step; }
  void is_doing(Doing doing) { doing_ = doing; }
  Doing doing() const { return doing_; }
  void advance() { ++progress_; }  // something was done

  // The first loss, if any. Cheap enough to ask while waiting.
  bool has_loss() const { return lost_; }
  std::optional<PeerLoss> loss() const;

  // This rank is about to leave with an error of its own: the others leave with the same code.
  // Waits a moment for it to be sent.
  void fail(int exit_code, const std::string& text);

 private:
  class Monitor;
  class Member;
  // What the thread does: of rank 0, and of the others.
  std::function<void()> monitor(std::unique_ptr<WatchDoor> door);
  std::function<void()> member(const std::string& address);

  std::string beat() const;
  // Of the work, or of its files: a long checkpoint is seen to go on.
  uint64_t progress() const { return progress_ + file_operations_done(); }
  // Whether this process itself did not run for so long that the others have given it up.
  bool was_stopped(double gap_s);
  void report(PeerLoss loss);  // to the watch's own thread,
  void publish();              // and, when the others know, to this process

  const Options options_;
  const std::function<void(const PeerLoss&)> on_loss_;
  std::atomic<int64_t> step_{0};
  std::atomic<uint64_t> progress_{0};
  std::atomic<Doing> doing_{Doing::long_work};  // until training has begun
  std::atomic<bool> found_{false}, lost_{false}, leaving_{false}, failing_{false}, sent_{false};
  mutable std::mutex mutex_;
  std::optional<PeerLoss> loss_;
  std::string failure_;  // "CODE TEXT"
  std::thread thread_;
};

}  // namespace convoy
