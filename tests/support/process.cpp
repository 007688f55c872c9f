#include "support/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/clock.h"
#include "support/places.h"

namespace convoy::test {

Arguments joined(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Process::Process(const Arguments& arguments, const fs::path& folder, const Arguments& before) {
  std::vector<std::string> words = before;
  words.emplace_back(convoy_program());
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  // Files rather than pipes, which would fill if they were not read while it runs.
  const std::string out = output_ / "out", err = output_ / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0644);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0644);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  // Whoever runs the tests may ignore these (nohup, a shell's background job).
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  for (const int signal : {SIGHUP, SIGINT}) sigaddset(&usual, signal);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failed = ::posix_spawnp(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) throw std::runtime_error(words[0] + " cannot be started");
}

Process::~Process() {
  if (has_ended()) return;
  send(SIGKILL);
  ::waitpid(pid_, &status_, 0);
}

void Process::send(int signal) const {
  if (!ended_) ::kill(pid_, signal);  // otherwise another process may have the number by now
}

bool Process::has_ended() {
  if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

bool Process::until(const std::function<bool()>& condition, double seconds) {
  const double end = steady_seconds() + seconds;
  while (!has_ended() && steady_seconds() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return false;
}

Finished Process::wait(double seconds) {
  until([] { return false; }, seconds);
  if (!has_ended()) {
    ADD_FAILURE() << "killed after " << seconds << " s";
    send(SIGKILL);
    ::waitpid(pid_, &status_, 0);
    ended_ = true;
  }
  return {.code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_),
          .out = read_file(output_ / "out", Fault::bug),
          .err = read_file(output_ / "err", Fault::bug)};
}

Finished run_convoy(const Arguments& arguments, const fs::path& folder) {
  return Process(arguments, folder).wait();
}

Arguments mpirun(int processes) {
  // Jobs that start and end at the same moment fail in Open MPI's default folder, which they share.
  static const TempFolder sessions;
  return {"mpirun",
          "--allow-run-as-root",
          "--oversubscribe",
          "--bind-to",
          "none",
          "--mca",
          "orte_tmpdir_base",
          sessions.path().string(),
          "-np",
          std::to_string(processes)};
}

Finished run_convoy_on(int processes, const Arguments& arguments, const fs::path& folder) {
  return Process(arguments, folder, mpirun(processes)).wait();
}

}  // namespace convoy::test
