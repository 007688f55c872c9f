// Preloaded into a program, it has fsync hang on every file whose path contains what HANG_SYNC
// says: as on a file system that is frozen, but without root.

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

extern "C" int fsync(int file) {
  const char* wanted = std::getenv("HANG_SYNC");
  char path[4096] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  if (wanted && ::readlink(link.c_str(), path, sizeof path - 1) > 0 && std::strstr(path, wanted)) {
    for (;;) ::pause();
  }
  static const auto real = reinterpret_cast<int (*)(int)>(::dlsym(RTLD_NEXT, "fsync"));
  return real(file);
}
