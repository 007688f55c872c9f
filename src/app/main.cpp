// Prepares the process and hands over to `run_program`.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>

#include "app/program.h"
#include "app/signals.h"
#include "base/threads/thread_pool.h"

// oneDNN 2.6, which asks here for all its objects, uses them without asking whether it got them.
extern "C" int posix_memalign(void** place, size_t alignment, size_t bytes) noexcept {
  *place = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!*place) convoy::end_out_of_memory();
  return 0;
}

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
  // Paths of libstdc++ 12 free their parts twice when there is no memory for one of them.
  std::set_new_handler(convoy::end_out_of_memory);
  convoy::end_as_terminated();
  convoy::flush_subnormals();
  return convoy::run_program({arguments + 1, arguments + count});
}
