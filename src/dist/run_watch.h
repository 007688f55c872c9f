// A run's `PeerWatch`: started among all ranks, told of every wait for another rank, and turned
// into an error where the run waits when one is lost.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "dist/peer_watch.h"
#include "dist/transport.h"

namespace convoy {

class RunWatch final : public WaitObserver {
 public:
  // Every rank makes one at the same time, in the thread that will wait; without others (null, or a
  // world of one) it does nothing. Rank 0 answers at the interfaces of CONVOY_INTERFACE, or at all.
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

  // While it lives, this rank does what takes long and cannot be looked into: a checkpoint.
  class LongWork {
   public:
    explicit LongWork(RunWatch& watch);
    ~LongWork();
    LongWork(const LongWork&) = delete;
    LongWork& operator=(const LongWork&) = delete;

   private:
    RunWatch& watch_;
    PeerWatch::Doing before_ = PeerWatch::Doing::working;
  };

  // What `wait_until` says. `look` raises Fault::peer when a rank was lost; where rank 0 tells the
  // user, the other ranks just leave.
  void begin_wait() override;
  void look() override;
  void end_wait() override;

 private:
  void when_lost(const PeerLoss& loss);

  const int rank_;
  std::mutex mutex_;
  std::condition_variable leaves_;
  bool is_leaving_ = false;           // the run has noticed
  std::unique_ptr<PeerWatch> watch_;  // null: nobody else
};

}  // namespace convoy
