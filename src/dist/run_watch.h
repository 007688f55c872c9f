// The watch over a run. Over its other ranks: a `PeerWatch`, started among all, told of every wait
// for another rank, and turned into an error where the run waits when one is lost. And over this
// process's own disk, in every run: when a file operation does not end, the process names it and
// leaves.
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
  // Every rank makes one at the same time, in the thread that will wait; without others (null, or a
  // world of one) it watches the disk alone. Rank 0 listens at the interfaces of CONVOY_INTERFACE;
  // where that is not set, at all, or at none but the loopback where all ranks are on one host.
  RunWatch(Transport* world, double stall_timeout_s);
  // The good end, or that of an error which the others know.
  ~RunWatch() override;
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  // So many steps are done, and the next one begins.
  void at_step(int64_t step);
  // A part of one is done, or a batch of an evaluation.
  void advance() override;
  // This rank will leave with an error of its own.
  void fail(int exit_code, const std::string& text);
  // The rank that was lost, if that is why this one ends.
  std::optional<PeerLoss> loss() const;

  // What `wait_until` says. `look` raises Fault::peer when a rank was lost; where rank 0 tells the
  // user, the other ranks just leave.
  void begin_wait() override;
  void look() override;
  void end_wait() override;

 private:
  void watch_peers(Transport& world, double stall_timeout_s);
  void when_lost(const PeerLoss& loss);
  // Until the end: looks for a file operation that does not end.
  void watch_disk(double stall_timeout_s);
  [[noreturn]] void leave_disk(const FileWait& wait, double seconds);

  const int rank_;
  const bool has_peers_;
  std::atomic<int64_t> step_{0};
  std::mutex mutex_;
  std::condition_variable leaves_;
  bool is_leaving_ = false;           // the run has noticed
  std::unique_ptr<PeerWatch> watch_;  // null: nobody else
  std::thread disk_;
};

}  // namespace convoy
