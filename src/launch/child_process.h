// Starts a program as a child process, with its output in pipes; this process reads its own signals
// from a file descriptor meanwhile.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace convoy {

// Owns an open file descriptor and closes it in the destructor.
class OwnedFile {
 public:
  explicit OwnedFile(int number = -1) : number_(number) {}
  ~OwnedFile() { close(); }
  OwnedFile(const OwnedFile&) = delete;
  OwnedFile& operator=(const OwnedFile&) = delete;
  int get() const { return number_; }
  void set(int number) { number_ = number; }
  void close();

 private:
  int number_;
};

struct Pipe {
  OwnedFile read, write;
  Pipe();
};

// While this object lives, the signals that ask to stop, and SIGCHLD, are blocked and read one by
// one with `next`. SIGHUP is left out if it was ignored before (nohup).
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  int file() const { return file_.get(); }
  // The next pending signal; 0: none.
  int next() const;
  // The signal mask for the child: it gets SIGTERM, SIGINT and SIGHUP only if it unblocks them
  // itself. mpirun does not: it would kill all ranks at once, and unsaved work would be lost.
  const sigset_t& of_child() const { return of_child_; }

 private:
  sigset_t before_{}, of_child_{};
  OwnedFile file_;
};

using Environment = std::map<std::string, std::string>;

// Starts the command in a process group of its own, with those variables of `more` that its
// environment lacks. If this process is killed, the child gets SIGUSR1. A missing program is
// Fault::usage.
pid_t start_child(const std::vector<std::string>& words, const Environment& more, Pipe& out,
                  Pipe& err, const BlockedSignals& signals);

// The first of SIGTERM, SIGINT and SIGHUP that is pending for the child; 0: none. SIGHUP does not
// count if this process ignores it.
int pending_stop(pid_t child);

}  // namespace convoy
