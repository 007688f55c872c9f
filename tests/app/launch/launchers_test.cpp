#include "app/launch/launchers.h"

#include <map>

#include "config/support.h"

namespace convoy {
namespace {

using test::contains;
using test::usage_error;
using Variables = std::map<std::string, std::string>;

std::string refusal(const Variables& set, const std::vector<std::string>& arguments = {"train"}) {
  const auto value = [&](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
  return usage_error([&] { refuse_other_launchers(value, arguments); });
}

void expect_fine(const Variables& set) {
  const auto value = [&](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
  EXPECT_NO_THROW(refuse_other_launchers(value, {"train"}));
}

TEST(Launchers, SeveralProcessesWithoutMpiAreRefusedWithTheCommandThatWorks) {
  const std::string torch = refusal({{"RANK", "1"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "1"}},
                                    {"train", "--config", "a b", "--lr=0.1"});
  EXPECT_TRUE(contains(torch, "process 1 of 4")) << torch;
  EXPECT_TRUE(contains(torch, "try: mpirun -np 4 convoy train --config 'a b' --lr=0.1")) << torch;
  const std::string slurm = refusal({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "0"}});
  EXPECT_TRUE(contains(slurm, "srun --mpi=pmix convoy train")) << slurm;
  EXPECT_TRUE(contains(refusal({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}), "mpirun -np 2"));
}

TEST(Launchers, OneProcessAndABatchScriptsOwnStepAreFine) {
  expect_fine({});
  expect_fine({{"RANK", "0"}, {"WORLD_SIZE", "1"}});
  expect_fine({{"WORLD_SIZE", "4"}});  // a variable of that name, of no launcher
  // A batch script may start eight tasks; it is one itself.
  expect_fine({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}, {"SLURM_NNODES", "2"}});
  expect_fine({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}});
}

}  // namespace
}  // namespace convoy
