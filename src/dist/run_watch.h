// Watches a run. With several processes it has a `PeerWatch`, tells it about every wait for another
// rank, and raises an error in the waiting thread when a rank is lost. In every run, also with a
// single process, it watches the file operations of this process: if one does not end within the
// stall timeout, it reports the file and ends the process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/files/file_operation.h"
#include "dist/peer_watch.h"
#include "dist/transport.h"

namespace convoy {

class RunWatch final : public WaitObserver {
 public:
  // Collective: every rank constructs one at the same time, in the thread that will wait. With a
  // null world or a world of one rank it watches the disk only. Rank 0 listens on the interfaces
  // named by CONVOY_INTERFACE; if that is not set, on all interfaces, or only on the loopback if
  // all ranks are on one host.
  RunWatch(Transport* world, double stall_timeout_s);
  // Normal end, or end after an error that the other ranks know of.
  ~RunWatch() override;
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  // `step` steps are done and the next one begins.
  void at_step(int64_t step);
  // A part of a step or a batch of an evaluation is done.
  void advance() override;
  // This rank will exit with an error of its own.
  void fail(int exit_code, const std::string& text);
  // The lost rank, if that is why this one ends.
  std::optional<PeerLoss> loss() const;

  // Called by `wait_until`. `look` raises Fault::peer when a rank was lost; if rank 0 tells the
  // user, the other ranks exit without a message.
  void begin_wait() override;
  void look() override;
  void end_wait() override;

 private:
  void watch_peers(Transport& world, double stall_timeout_s);
  void when_lost(const PeerLoss& loss);
  // Runs until the end: checks for a file operation that does not end.
  void watch_disk(double stall_timeout_s);
  [[noreturn]] void leave_disk(const FileWait& wait, double seconds);

  const int rank_;
  const bool has_peers_;
  std::atomic<int64_t> step_{0};
  std::mutex mutex_;
  std::condition_variable leaves_;
  bool is_leaving_ = false;  // the run ends by itself: its threads must not end the process
  std::unique_ptr<PeerWatch> watch_;  // null: no other ranks
  std::thread disk_;
};

}  // namespace convoy
