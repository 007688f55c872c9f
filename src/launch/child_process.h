// A program started as a child, with its output in pipes and the signals of this process in a file.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace convoy {

// An open file; closed at the end.
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

// The signals that ask to stop, and that of a child's end: kept from their usual effect while this
// lives, and read one by one. SIGHUP is not among them where it was ignored before (nohup).
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  int file() const { return file_.get(); }
  // The next that came; 0: none.
  int next() const;
  // For the child, which gets SIGTERM, SIGINT and SIGHUP only when it asks for them itself. mpirun
  // does not: it would kill all ranks at once, with whatever they have not saved.
  const sigset_t& of_child() const { return of_child_; }

 private:
  sigset_t before_{}, of_child_{};
  OwnedFile file_;
};

using Environment = std::map<std::string, std::string>;

// Starts the words in a process group of their own, with `more` in its environment where that has
// no such variables. When this process is killed, the child gets SIGUSR1. A program that is not
// there is Fault::usage.
pid_t start_child(const std::vector<std::string>& words, const Environment& more, Pipe& out,
                  Pipe& err, const BlockedSignals& signals);

// The first of SIGTERM, SIGINT and SIGHUP that was sent to the child and waits there; 0: none.
// SIGHUP is none where this process ignores it.
int pending_stop(pid_t child);

}  // namespace convoy
