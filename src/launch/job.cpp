#include "launch/job.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "launch/process_tree.h"
#include "launch/rank_beats.h"
#include "launch/rank_process.h"
#include "launch/tagged_stream.h"

namespace convoy {
namespace {

constexpr double drain_s = 2;   // for processes below mpirun that keep its pipes open
constexpr double look_s = 0.5;  // interval of checks for silent ranks and mpirun's signals
constexpr double ending_s = 1;  // for what mpirun started, after it exited by itself
constexpr double dying_s = 5;   // a process blocked on a disk does not even die of SIGKILL

class Job {
 public:
  Job(const JobOptions& options, const RankPlacement& placement, RankOutput& output)
      : options_(options),
        output_(output),
        beats_(placement, options.silence_s),
        out_([this](int rank, std::string_view text) { line(rank, false, text); }),
        err_([this](int rank, std::string_view text) { line(rank, true, text); }),
        pid_(start()) {}

  ~Job() {
    if (!ended_) kill_all();
  }

  JobEnd run() {
    while (!ended_ || (is_open() && steady_seconds() < drain_until_)) {
      wait_for_news();
      read_from(out_pipe_.read, out_);
      read_from(err_pipe_.read, err_);
      handle_signals();
      if (!ended_) look_after();
    }
    out_.finish();
    err_.finish();
    return end_;
  }

 private:
  pid_t start() {
    // Must precede the start: ranks that lose their mpirun become our children, so that we can end
    // them.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    return start_child(options_.words, options_.environment, out_pipe_, err_pipe_, signals_);
  }

  bool is_open() const { return out_pipe_.read.get() >= 0 || err_pipe_.read.get() >= 0; }

  void wait_for_news() {
    std::array<pollfd, 3> all{{{out_pipe_.read.get(), POLLIN, 0},
                               {err_pipe_.read.get(), POLLIN, 0},
                               {signals_.file(), POLLIN, 0}}};
    ::poll(all.data(), all.size(), ended_ || deadline_ ? 100 : static_cast<int>(look_s * 1000));
    ready_ = {all[0].revents != 0, all[1].revents != 0};
  }

  void read_from(OwnedFile& file, TaggedStream& stream) {
    if (!ready_[&file == &err_pipe_.read]) return;
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count > 0) {
      stream.take({buffer.data(), static_cast<size_t>(count)});
    } else if (count == 0 || errno != EINTR) {
      file.close();
    }
  }

  void line(int rank, bool is_error_stream, std::string_view text) {
    if (rank == TaggedStream::no_rank) {
      if (end_.mpirun_said.size() < 1000) end_.mpirun_said.emplace_back(text);
      return;
    }
    if (is_error_stream && take_beat(rank, text)) return;
    output_.line(rank, is_error_stream, text);
    if (!deadline_ && !output_.first_error().empty()) {
      deadline_ = steady_seconds() + options_.grace_s;
    }
  }

  // Removes the heartbeat mark from the end of a line; it may follow an unfinished line of the
  // rank. Returns true if nothing else is on the line.
  bool take_beat(int rank, std::string_view& text) {
    if (text.ends_with(beat_mark)) {
      beats_.heard(rank);
      text.remove_suffix(beat_mark.size());
    } else if (text.ends_with(last_beat_mark)) {
      beats_.ended(rank);
      text.remove_suffix(last_beat_mark.size());
    } else {
      return false;
    }
    return text.empty();
  }

  void handle_signals() {
    while (const int number = signals_.next()) {
      if (number == SIGCHLD) {
        reap();
      } else if (!end_.signal) {
        ask_to_stop(number);
      } else if (steady_seconds() - asked_at_ >= options_.same_stop_s) {
        kill_all();
      }
    }
  }

  void ask_to_stop(int number) {
    end_.signal = number;
    asked_at_ = steady_seconds();
    if (!ended_) ::kill(pid_, SIGUSR1);
  }

  void look_after() {
    const double now = steady_seconds();
    if (deadline_ && now > *deadline_) return kill_all();
    if (now < next_look_) return;
    next_look_ = now + look_s;
    if (!end_.signal) {
      if (const int number = pending_stop(pid_)) ask_to_stop(number);
    }
    end_.lost = beats_.lost(pid_);
    if (!end_.lost.empty()) kill_all();
  }

  void reap() {
    int status = 0;
    if (ended_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return;
    ended_ = true;
    end_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    drain_until_ = steady_seconds() + drain_s;
    end_orphans(WIFEXITED(status) ? ending_s : 0);
  }

  void kill_all() {
    if (ended_) return;
    end_.killed = true;
    kill_tree(pid_);
    const double end = steady_seconds() + dying_s;
    while (::waitpid(pid_, nullptr, WNOHANG) == 0 && steady_seconds() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ended_ = true;
    end_.code = 128 + SIGKILL;
    drain_until_ = steady_seconds() + drain_s;
    end_orphans(0);
  }

  // Ends what mpirun left behind, and waits until all of it is gone, so that a restart finds free
  // cores.
  static void end_orphans(double patience_s) {
    const double begin = steady_seconds();
    for (double waited = 0; waited < patience_s + dying_s; waited = steady_seconds() - begin) {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
      const std::vector<pid_t> tree = process_tree(::getpid());
      if (tree.size() < 2) return;
      for (size_t i = 1; i < tree.size() && waited >= patience_s; ++i) ::kill(tree[i], SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  const JobOptions& options_;
  RankOutput& output_;
  RankBeats beats_;
  BlockedSignals signals_;
  Pipe out_pipe_, err_pipe_;
  TaggedStream out_, err_;
  pid_t pid_;
  std::array<bool, 2> ready_{};
  bool ended_ = false;
  std::optional<double> deadline_;
  double drain_until_ = 0, next_look_ = 0, asked_at_ = 0;
  JobEnd end_;
};

}  // namespace

JobEnd run_job(const JobOptions& options, const RankPlacement& placement, RankOutput& output) {
  return Job(options, placement, output).run();
}

}  // namespace convoy
