#include "launch/job.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "launch/process_tree.h"
#include "launch/tagged_stream.h"

namespace convoy {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  void set(int number) { number_ = number; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read, write;
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      raise(Fault::bug, "no pipe: {}", std::strerror(errno));
    read.set(ends[0]);
    write.set(ends[1]);
  }
};

// Those we handle, kept from their usual effect while this lives.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigemptyset(&ours_);
    for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&ours_, number);
    ::sigprocmask(SIG_BLOCK, &ours_, &before_);
    file_.set(::signalfd(-1, &ours_, SFD_CLOEXEC | SFD_NONBLOCK));
    if (file_.get() < 0) raise(Fault::bug, "no signalfd: {}", std::strerror(errno));
  }
  ~BlockedSignals() { restore(); }
  void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  int file() const { return file_.get(); }
  // The next that came; 0: none.
  int next() const {
    signalfd_siginfo info{};
    return ::read(file_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                                  : 0;
  }

 private:
  sigset_t ours_{}, before_{};
  Descriptor file_;
};

// Only what is safe after fork.
[[noreturn]] void become(char* const* argv, const Pipe& out, const Pipe& err, const Pipe& failure,
                         const BlockedSignals& signals) {
  ::setpgid(0, 0);                     // Ctrl-C reaches us alone
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // who kills us ends the job
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out.write.get(), STDOUT_FILENO);
  ::dup2(err.write.get(), STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  signals.restore();
  ::execvp(argv[0], argv);
  const int reason = errno;
  (void)!::write(failure.write.get(), &reason, sizeof reason);
  ::_exit(127);
}

pid_t start(const std::vector<std::string>& words, Pipe& out, Pipe& err,
            const BlockedSignals& signals) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  Pipe failure;
  const pid_t pid = ::fork();
  if (pid < 0) raise(Fault::bug, "cannot start a process: {}", std::strerror(errno));
  if (pid == 0) become(argv.data(), out, err, failure, signals);
  for (Pipe* pipe : {&out, &err, &failure}) pipe->write.close();
  int reason = 0;
  if (::read(failure.read.get(), &reason, sizeof reason) == sizeof reason) {
    ::waitpid(pid, nullptr, 0);
    raise(Fault::usage, "cannot run {}: {}; try: apt-get install openmpi-bin, or CONVOY_MPIRUN",
          words[0], std::strerror(reason));
  }
  return pid;
}

class Job {
 public:
  Job(const std::vector<std::string>& words, RankOutput& output, double grace_s)
      : output_(output),
        grace_s_(grace_s),
        out_([this](int rank, std::string_view text) { line(rank, false, text); }),
        err_([this](int rank, std::string_view text) { line(rank, true, text); }),
        pid_(start(words, out_pipe_, err_pipe_, signals_)) {}

  ~Job() {
    if (!ended_) kill_all();
  }

  JobEnd run() {
    while (!ended_ || (is_open() && steady_seconds() < drain_until_)) {
      wait_for_news();
      read_from(out_pipe_.read, out_);
      read_from(err_pipe_.read, err_);
      handle_signals();
      if (!ended_ && deadline_ && steady_seconds() > *deadline_) kill_all();
    }
    out_.finish();
    err_.finish();
    return end_;
  }

 private:
  bool is_open() const { return out_pipe_.read.get() >= 0 || err_pipe_.read.get() >= 0; }

  void wait_for_news() {
    std::array<pollfd, 3> all{{{out_pipe_.read.get(), POLLIN, 0},
                               {err_pipe_.read.get(), POLLIN, 0},
                               {signals_.file(), POLLIN, 0}}};
    ::poll(all.data(), all.size(), ended_ || deadline_ ? 100 : 1000);
    ready_ = {all[0].revents != 0, all[1].revents != 0};
  }

  void read_from(Descriptor& file, TaggedStream& stream) {
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
    output_.line(rank, is_error_stream, text);
    if (!deadline_ && !output_.first_error().empty()) deadline_ = steady_seconds() + grace_s_;
  }

  void handle_signals() {
    while (const int number = signals_.next()) {
      if (number == SIGCHLD) {
        reap();
      } else if (!end_.signal) {
        end_.signal = number;
        if (!ended_) ::kill(pid_, SIGUSR1);
      } else {
        kill_all();
      }
    }
  }

  void reap() {
    int status = 0;
    if (ended_ || ::waitpid(pid_, &status, WNOHANG) != pid_) return;
    ended_ = true;
    end_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    drain_until_ = steady_seconds() + 2;  // somebody below may hold the pipes open
  }

  void kill_all() {
    if (ended_) return;
    end_.killed = true;
    kill_tree(pid_);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended_ = true;
    end_.code = 128 + SIGKILL;
    drain_until_ = steady_seconds() + 2;
  }

  RankOutput& output_;
  const double grace_s_;
  BlockedSignals signals_;
  Pipe out_pipe_, err_pipe_;
  TaggedStream out_, err_;
  pid_t pid_;
  std::array<bool, 2> ready_{};
  bool ended_ = false;
  std::optional<double> deadline_;
  double drain_until_ = 0;
  JobEnd end_;
};

}  // namespace

JobEnd run_job(const std::vector<std::string>& words, RankOutput& output, double grace_s) {
  return Job(words, output, grace_s).run();
}

}  // namespace convoy
