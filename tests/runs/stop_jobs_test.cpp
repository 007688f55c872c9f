// A stop of a whole job, as systemd, Slurm, a terminal or a person sends it: whichever of its
// processes get the signal, all save one checkpoint, and the job leaves with 75.
// tests/faults/stop_jobs.py does the same many times.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "launch/process_tree.h"
#include "support/run_files.h"

namespace convoy {
namespace {

using test::Finished;
using test::joined;
using test::Process;
using test::tiny;
using test::TinyRun;

constexpr int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};

TinyRun endless_run() {
  return TinyRun(
      tiny({"--replicas", "2", "--batch-size", "4", "--threads", "1", "--checkpoint-steps", "10",
            "--checkpoint-epochs", "0", "--eval-epochs", "0", "--epochs", "30000"}));
}

// The launcher first, then mpirun, then the ranks.
std::vector<pid_t> processes_of(const Process& job) {
  std::vector<pid_t> all = process_tree(job.pid());
  std::erase_if(
      all, [&](pid_t pid) { return pid != all[0] && pid != all[1] && rank_of_process(pid) < 0; });
  return all;
}

std::vector<pid_t> chosen(const std::vector<pid_t>& all, const std::string& target) {
  if (target == "launcher") return {all[0]};
  if (target == "mpirun") return {all[1]};
  if (target == "ranks") return {all.begin() + 2, all.end()};
  return all;
}

void expect_saved(const Finished& result, const TinyRun& run, int signal) {
  EXPECT_EQ(result.code, 75) << ::strsignal(signal) << ": " << result.out << result.err;
  if (result.code != 75) return;
  const std::vector<test::Json> stops = test::events(run.dir(), "stop");
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_EQ(test::checkpoint_steps(run.dir()).back(), stops[0].at("step").get<int64_t>());
}

class StopJobsRun : public testing::TestWithParam<std::string> {};

TEST_P(StopJobsRun, SavesOnceAndLeavesWith75) {
  for (const int signal : signals) {
    const TinyRun run = endless_run();
    Process job(joined({"launch", "-np", "2", "--oversubscribe", "--"}, run.train()), run.folder());
    ASSERT_TRUE(job.until([&] { return !test::checkpoint_steps(run.dir()).empty(); }))
        << job.wait().err;
    const std::vector<pid_t> all = processes_of(job);
    ASSERT_EQ(all.size(), 4u);
    for (const pid_t pid : chosen(all, GetParam())) ::kill(pid, signal);
    expect_saved(job.wait(60), run, signal);
    for (const pid_t pid : all) EXPECT_NE(::kill(pid, 0), 0) << pid << " still runs";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, StopJobsRun, testing::Values("launcher", "mpirun", "ranks", "all"),
                         [](const auto& given) { return given.param; });

TEST(StopJobRun, OneProcessSavesByEverySignal) {
  for (const int signal : signals) {
    const TinyRun run = endless_run();
    Process job(run.train(), run.folder());
    ASSERT_TRUE(job.until([&] { return !test::checkpoint_steps(run.dir()).empty(); }));
    job.send(signal);
    job.send(SIGTERM);
    expect_saved(job.wait(60), run, signal);
  }
}

TEST(StopJobRun, NohupHoldsSighupOff) {
  const TinyRun run(tiny({"--max-steps", "400", "--checkpoint-steps", "10"}));
  Process job(run.train(), run.folder(), {"nohup"});
  ASSERT_TRUE(job.until([&] { return !test::checkpoint_steps(run.dir()).empty(); }));
  job.send(SIGHUP);
  EXPECT_EQ(job.wait().code, 0);
}

TEST(StopJobRun, AKilledLauncherLeavesACheckpointAndNoProcess) {
  const TinyRun run = endless_run();
  Process job(joined({"launch", "-np", "2", "--oversubscribe", "--"}, run.train()), run.folder());
  ASSERT_TRUE(job.until([&] { return !test::checkpoint_steps(run.dir()).empty(); }));
  const std::vector<pid_t> all = processes_of(job);
  ASSERT_EQ(all.size(), 4u);
  job.send(SIGKILL);
  EXPECT_EQ(job.wait().code, 137);
  const auto runs = [](pid_t pid) { return ::kill(pid, 0) == 0; };
  for (int i = 0; i < 3000 && std::ranges::any_of(all, runs); ++i) ::usleep(10'000);
  EXPECT_EQ(std::ranges::count_if(all, runs), 0);
  EXPECT_EQ(test::events(run.dir(), "stop").size(), 1u);
}

TEST(StopJobRun, VerbsThatDoNotSaveEndWithOneOfTwoCodes) {
  for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2, SIGTERM, SIGINT}) {
    const test::TempFolder folder;
    Process job({"bench", "--model", "resnet50", "--batch-size", "64", "--steps", "1000"},
                folder.path());
    ::usleep(300'000);
    job.send(signal);
    EXPECT_EQ(job.wait(60).code, signal == SIGINT ? 130 : 143);
  }
}

}  // namespace
}  // namespace convoy
