#include "app/launch/launchers.h"

#include <array>
#include <cstdlib>

#include "base/error.h"
#include "base/text/text.h"

namespace convoy {
namespace {

// The variables by which a launcher tells a process its number and the number of processes. Slurm
// sets SLURM_NTASKS in batch scripts too; only processes of a job step have the variables of the
// step.
struct Launcher {
  const char* name;
  const char* size;
  const char* rank;
};
constexpr std::array launchers{Launcher{"torchrun or the like", "WORLD_SIZE", "RANK"},
                               Launcher{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
                               Launcher{"another MPI", "PMI_SIZE", "PMI_RANK"},
                               Launcher{"another MPI", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
                               Launcher{"jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"},
                               Launcher{"horovodrun", "HOROVOD_SIZE", "HOROVOD_RANK"}};

}  // namespace

void refuse_other_launchers(const Environment& environment,
                            const std::vector<std::string>& arguments) {
  for (const Launcher& launcher : launchers) {
    const char* size = environment(launcher.size);
    const char* rank = environment(launcher.rank);
    const long count = size && rank ? std::strtol(size, nullptr, 10) : 0;
    if (count < 2) continue;
    std::vector<std::string> words;
    for (const std::string& argument : arguments) words.push_back(in_shell(argument));
    const bool is_slurm = std::string(launcher.size).starts_with("SLURM");
    const std::string command = is_slurm ? "srun --mpi=pmix" : fmt::format("mpirun -np {}", count);
    raise(Fault::usage,
          "{} started this as process {} of {} ({}, {}), but MPI knows of one: each would train "
          "the whole run by itself; try: {} convoy {}",
          launcher.name, rank, count, launcher.rank, launcher.size, command, join(words, " "));
  }
}

}  // namespace convoy
