#include "launch/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace convoy {
namespace {

bool is_ignored(int number) {
  struct sigaction action {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const Environment& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) all.emplace_back(*entry);
  for (const auto& [name, value] : more) {
    if (!std::getenv(name.c_str())) all.push_back(name + "=" + value);
  }
  return all;
}

// Runs between fork and exec: async-signal-safe calls only.
[[noreturn]] void become(char* const* argv, char* const* environment, const Pipe& out,
                         const Pipe& err, const Pipe& failure, const BlockedSignals& signals) {
  ::setpgid(0, 0);  // Ctrl-C then reaches only this process, not the child
  // If this process is killed with SIGKILL, mpirun passes SIGUSR1 on, and the ranks save and exit.
  ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out.write.get(), STDOUT_FILENO);
  ::dup2(err.write.get(), STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  for (const int number : {SIGUSR1, SIGUSR2}) ::signal(number, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &signals.of_child(), nullptr);
  ::execvpe(argv[0], argv, environment);
  const int reason = errno;
  (void)!::write(failure.write.get(), &reason, sizeof reason);
  ::_exit(127);
}

}  // namespace

void OwnedFile::close() {
  if (number_ >= 0) ::close(number_);
  number_ = -1;
}

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) raise(Fault::bug, "no pipe: {}", std::strerror(errno));
  read.set(ends[0]);
  write.set(ends[1]);
}

BlockedSignals::BlockedSignals() {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&ours, number);
  if (!is_ignored(SIGHUP)) sigaddset(&ours, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &ours, &before_);
  of_child_ = before_;
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&of_child_, number);
  for (const int number : {SIGUSR1, SIGUSR2, SIGCHLD}) sigdelset(&of_child_, number);
  file_.set(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
  if (file_.get() < 0) raise(Fault::bug, "no signalfd: {}", std::strerror(errno));
}

BlockedSignals::~BlockedSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

int BlockedSignals::next() const {
  signalfd_siginfo info{};
  const bool came = ::read(file_.get(), &info, sizeof info) == sizeof info;
  return came ? static_cast<int>(info.ssi_signo) : 0;
}

pid_t start_child(const std::vector<std::string>& words, const Environment& more, Pipe& out,
                  Pipe& err, const BlockedSignals& signals) {
  const std::vector<char*> argv = pointers(words);
  const std::vector<std::string> entries = environment_with(more);
  const std::vector<char*> environment = pointers(entries);
  Pipe failure;
  const pid_t pid = ::fork();
  if (pid < 0) raise(Fault::bug, "cannot start a process: {}", std::strerror(errno));
  if (pid == 0) become(argv.data(), environment.data(), out, err, failure, signals);
  for (Pipe* pipe : {&out, &err, &failure}) pipe->write.close();
  int reason = 0;
  if (::read(failure.read.get(), &reason, sizeof reason) == sizeof reason) {
    ::waitpid(pid, nullptr, 0);
    raise(Fault::usage, "cannot run {}: {}; try: apt-get install openmpi-bin, or CONVOY_MPIRUN",
          words[0], std::strerror(reason));
  }
  return pid;
}

int pending_stop(pid_t child) {
  std::ifstream file("/proc/" + std::to_string(child) + "/status");
  unsigned long long waiting = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("SigPnd:") || line.starts_with("ShdPnd:")) {
      waiting |= std::strtoull(line.c_str() + 7, nullptr, 16);
    }
  }
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    if ((waiting >> (number - 1) & 1) && !(number == SIGHUP && is_ignored(SIGHUP))) return number;
  }
  return 0;
}

}  // namespace convoy
