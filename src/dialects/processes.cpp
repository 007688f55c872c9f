#include "dialects/processes.h"

#include <array>

#include "base/error.h"
#include "base/show.h"
#include "config/value.h"

namespace convoy {
namespace {

struct Starter {
  const char* name;
  const char* size;
  const char* rank;
  const char* local_size;
};
constexpr std::array starters{
    Starter{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    Starter{"torchrun", "WORLD_SIZE", "RANK", "LOCAL_WORLD_SIZE"}};

int count_in(const DialectEnvironment& environment, const char* name, int fallback, int least) {
  const char* text = environment(name);
  if (!text || !*text) return fallback;
  int count = 0;
  if (!parse_value(text, count).empty() || count < least) {
    raise(Fault::usage, "environment variable {} \"{}\" is no number of processes; try: without it",
          name, one_line(text));
  }
  return count;
}

}  // namespace

DialectProcesses started_processes(const DialectEnvironment& environment) {
  for (const Starter& starter : starters) {
    const int size = count_in(environment, starter.size, 0, 1);
    if (size == 0) continue;
    DialectProcesses found{.ranks = size, .from = starter.name};
    found.rank = count_in(environment, starter.rank, 0, 0);
    found.per_host = count_in(environment, starter.local_size, size, 1);
    found.hosts = (size + found.per_host - 1) / found.per_host;
    return found;
  }
  return {};
}

}  // namespace convoy
