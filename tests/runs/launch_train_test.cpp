// Training launched as several processes of this host: it ends as in one process, and when a rank
// is killed or stopped, or all are asked to stop, everybody leaves as promised.

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "launch/process_tree.h"
#include "support/places.h"
#include "support/run_files.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Process;
using test::tiny;
using test::TinyRun;

Arguments launched(const TinyRun& run, const Arguments& options = {}) {
  return joined(joined({"launch", "-np", "2", "--oversubscribe"}, options),
                joined({"--"}, run.train()));
}

TinyRun tiny_run(const Arguments& more) {
  return TinyRun(tiny(joined({"--replicas", "4", "--batch-size", "4", "--threads", "1",
                              "--checkpoint-steps", "10", "--checkpoint-epochs", "0"},
                             more)));
}

// The process in that working folder that is this rank.
pid_t find_rank(const fs::path& folder, int rank) {
  const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
  std::error_code gone;
  for (fs::directory_iterator entry("/proc", gone), end; !gone && entry != end;
       entry.increment(gone)) {
    std::error_code other;
    if (!fs::equivalent(entry->path() / "cwd", folder, other) ||
        !fs::equivalent(entry->path() / "exe", test::convoy_program(), other)) {
      continue;
    }
    std::ifstream file(entry->path() / "environ");
    for (std::string word; std::getline(file, word, '\0');) {
      if (word == wanted) return std::stoi(entry->path().filename());
    }
  }
  return 0;
}

bool until_checkpoint(Process& job, const TinyRun& run) {
  return job.until([&] { return !test::checkpoint_steps(run.dir()).empty(); });
}

std::string last_line(const std::string& text) {
  const std::vector<std::string> lines = test::lines_of(text);
  return lines.empty() ? "" : lines.back();
}

TEST(LaunchTrainRun, ManyProcessesPrintAndLeaveWhatOneDoes) {
  const TinyRun one = tiny_run({"--max-steps", "20"}), many = tiny_run({"--max-steps", "20"});
  const Finished alone = test::run_convoy(one.train(), one.folder());
  const Finished result = test::run_convoy(launched(many, {"--log-dir", "logs"}), many.folder());
  ASSERT_EQ(alone.code, 0) << alone.err;
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, alone.out);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(test::weights_hash_of(many.dir()), test::weights_hash_of(one.dir()));
  EXPECT_EQ(last_line(read_file(many.folder() / "logs/rank-0.log", Fault::bug)),
            last_line(alone.out));
}

TEST(LaunchTrainRun, AKilledRankIsNamedAndTheRunGoesOnFromItsCheckpoint) {
  const TinyRun one = tiny_run({"--max-steps", "200"}), many = tiny_run({"--max-steps", "200"});
  one.whole();
  Process job(launched(many, {"--restarts", "1"}), many.folder());
  ASSERT_TRUE(until_checkpoint(job, many)) << job.wait().err;
  const pid_t victim = find_rank(many.folder(), 1);
  ASSERT_NE(victim, 0);
  ::kill(victim, SIGKILL);
  const Finished result = job.wait();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("rank 1 (host "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("restart 1 of 1: convoy resume"), std::string::npos) << result.err;
  EXPECT_EQ(test::weights_hash_of(many.dir()), test::weights_hash_of(one.dir()));
}

TEST(LaunchTrainRun, AStoppedRankIsNamedAndAllLeave) {
  for (const int rank : {0, 1}) {
    const TinyRun run = tiny_run({"--epochs", "30000"});
    Process job(launched(run, {"--stall-timeout", "3"}), run.folder());
    ASSERT_TRUE(until_checkpoint(job, run)) << job.wait().err;
    const pid_t victim = find_rank(run.folder(), rank);
    ASSERT_NE(victim, 0);
    ::kill(victim, SIGSTOP);
    const Finished result = job.wait(60);
    EXPECT_EQ(result.code, 7) << result.err;
    const std::string name = fmt::format("rank {} (host ", rank);
    const size_t at = result.err.find(name);
    ASSERT_NE(at, std::string::npos) << result.err;
    EXPECT_NE(result.err.find(fmt::format("pid {}) stopped answering at step ", victim), at),
              std::string::npos)
        << result.err;
    EXPECT_EQ(find_rank(run.folder(), rank), 0) << "it still exists";
    if (rank == 1) {
      const auto lost = test::events(run.dir(), "rank_lost");
      ASSERT_EQ(lost.size(), 1u);
      EXPECT_EQ(lost[0].at("rank"), 1);
    }
  }
}

// No rank is left that could name another.
TEST(LaunchTrainRun, WhenAllRanksAreStoppedTheLauncherNamesThem) {
  const TinyRun run = tiny_run({"--epochs", "30000"});
  Process job(launched(run, {"--stall-timeout", "2"}), run.folder());
  ASSERT_TRUE(until_checkpoint(job, run)) << job.wait().err;
  std::vector<pid_t> ranks{find_rank(run.folder(), 0), find_rank(run.folder(), 1)};
  for (const pid_t pid : ranks) ::kill(pid, SIGSTOP);
  const Finished result = job.wait(60);
  EXPECT_EQ(result.code, 7) << result.err;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string name = fmt::format("rank {} (host localhost, pid {}) is stopped", rank,
                                         ranks[static_cast<size_t>(rank)]);
    EXPECT_NE(result.err.find(name), std::string::npos) << name << " in " << result.err;
    EXPECT_EQ(find_rank(run.folder(), rank), 0) << "it still exists";
  }
}

TEST(LaunchTrainRun, WhenMpirunIsStoppedTheLauncherNamesIt) {
  const TinyRun run = tiny_run({"--epochs", "30000"});
  Process job(launched(run, {"--stall-timeout", "2"}), run.folder());
  ASSERT_TRUE(until_checkpoint(job, run)) << job.wait().err;
  const pid_t mpirun = process_tree(job.pid()).at(1);
  ::kill(mpirun, SIGSTOP);
  const Finished result = job.wait(60);
  EXPECT_EQ(result.code, 7) << result.err;
  EXPECT_NE(result.err.find(fmt::format("mpirun (pid {}) is stopped", mpirun)), std::string::npos)
      << result.err;
  EXPECT_EQ(find_rank(run.folder(), 0), 0) << "it still exists";
}

// The value of a variable in the environment that the process began with.
std::string variable_of(pid_t pid, const std::string& name) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid));
  for (std::string word; std::getline(file, word, '\0');) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return "";
}

TEST(LaunchTrainRun, AKilledMpirunLeavesNeitherProcessesNorFiles) {
  const TinyRun run = tiny_run({"--epochs", "30000"});
  Process job(launched(run), run.folder());
  ASSERT_TRUE(until_checkpoint(job, run)) << job.wait().err;
  const pid_t mpirun = process_tree(job.pid()).at(1);
  std::vector<fs::path> folders;
  for (const char* name : {"OMPI_MCA_orte_tmpdir_base", "OMPI_MCA_btl_vader_backing_directory"}) {
    folders.emplace_back(variable_of(mpirun, name));
    EXPECT_GT(std::distance(fs::directory_iterator(folders.back()), {}), 1) << folders.back();
  }
  ::kill(mpirun, SIGKILL);
  const Finished result = job.wait(60);
  EXPECT_EQ(result.code, 7) << result.err;
  EXPECT_NE(result.err.find("mpirun was ended by signal 9"), std::string::npos) << result.err;
  for (const fs::path& folder : folders) EXPECT_FALSE(fs::exists(folder)) << folder;
  for (const int rank : {0, 1}) EXPECT_EQ(find_rank(run.folder(), rank), 0) << "it still exists";
}

TEST(LaunchTrainRun, ASignalHasAllSaveAndAnotherNumberOfProcessesGoesOn) {
  const TinyRun one = tiny_run({"--max-steps", "300"}), many = tiny_run({"--max-steps", "300"});
  one.whole();
  Process job(launched(many), many.folder());
  ASSERT_TRUE(until_checkpoint(job, many)) << job.wait().err;
  job.send(SIGTERM);
  const Finished stopped = job.wait(60);
  EXPECT_EQ(stopped.code, 75) << stopped.out << stopped.err;
  const Finished resumed = test::run_convoy(TinyRun::resume(), many.folder());
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(test::weights_hash_of(many.dir()), test::weights_hash_of(one.dir()));
}

}  // namespace
}  // namespace convoy
