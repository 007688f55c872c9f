// Prepares the process and calls `run_program`.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>

#include "app/program.h"
#include "app/signals.h"
#include "base/threads/thread_pool.h"

// Called by oneDNN 2.6 for all its objects; it does not check the result, so failure must end here.
extern "C" int posix_memalign(void** place, size_t alignment, size_t bytes) noexcept {
  *place = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!*place) convoy::end_out_of_memory();
  return 0;
}

int main(int count, char** arguments) {
  // If a standard stream is closed, the next opened file would get its number and our messages.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) == -1) (void)::open("/dev/null", O_RDWR);
  }
  // A closed pipe must not kill a training run: writes return an error instead.
  (void)std::signal(SIGPIPE, SIG_IGN);
  // The same for a limit on file sizes (ulimit -f).
  (void)std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(convoy::end_when_terminated);
  // Paths of libstdc++ 12 free their parts twice if an allocation fails, so do not throw.
  std::set_new_handler(convoy::end_out_of_memory);
  convoy::end_as_terminated();
  convoy::flush_subnormals();
  return convoy::run_program({arguments + 1, arguments + count});
}
