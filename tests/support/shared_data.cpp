#include "support/shared_data.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "support/places.h"

namespace convoy::test {

std::optional<fs::path> shared_data(const std::string& name) {
  const char* elsewhere = std::getenv("CONVOY_SHARED_DATA");
  const fs::path root = elsewhere ? fs::path(elsewhere) : source_dir() / "../shared/data";
  fs::path path = root / name;
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  std::cerr << "NOT TESTED: there is no " << path.string() << "; set CONVOY_SHARED_DATA\n";
  return std::nullopt;
}

std::string read_xz(const fs::path& path) {
  const std::string command = "xz -dc '" + path.string() + "'";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string content;
  char buffer[1 << 16];
  while (const size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) content.append(buffer, got);
  if (::pclose(pipe) != 0) throw std::runtime_error(command + " failed");
  return content;
}

}  // namespace convoy::test
