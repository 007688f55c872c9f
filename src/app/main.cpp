// Prepares the process and hands over to `run_program`.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>

#include "app/program.h"
#include "app/signals.h"
#include "base/thread_pool.h"

int main(int count, char** arguments) {
  // With a standard stream closed, the next file opened would take its number and our messages.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1) (void)::open("/dev/null", O_RDWR);
  }
  // A reader that leaves must not kill a training run: writes give an error instead.
  (void)std::signal(SIGPIPE, SIG_IGN);
  // Nor must a limit on the size of files (ulimit -f): likewise.
  (void)std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(convoy::end_when_terminated);
  convoy::end_as_terminated();
  convoy::flush_subnormals();
  return convoy::run_program({arguments + 1, arguments + count});
}
