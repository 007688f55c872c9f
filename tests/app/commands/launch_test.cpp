// `convoy launch` as a user meets it, with the real mpirun on this host.

#include <gtest/gtest.h>

#include "base/text/text.h"
#include "base/threads/cores.h"
#include "support/run_files.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::run_convoy;
using test::TempFolder;

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(LaunchRun, AVerbPrintsWhatItPrints) {
  const TempFolder folder;
  const Finished plain = run_convoy({"info"}, folder.path());
  const Finished launched = run_convoy({"launch", "-np", "1", "--", "info"}, folder.path());
  EXPECT_EQ(launched.code, 0) << launched.err;
  EXPECT_EQ(launched.out, plain.out);
  EXPECT_EQ(launched.err, "");
  const Finished one = run_convoy(
      {"launch", "-np", "1", "--threads-per-rank", "1", "--tag-output", "info"}, folder.path());
  EXPECT_TRUE(has(one.out, "[rank 0 host localhost] cpu")) << one.out;
  EXPECT_TRUE(has(one.out, " 1 cores usable")) << one.out;
}

TEST(LaunchRun, NothingIsOversubscribedSilently) {
  const TempFolder folder;
  const std::string many = std::to_string(available_cores() + 1);
  const Finished refused = run_convoy({"launch", "-np", many, "--", "train"}, folder.path());
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(has(refused.err, many + " ranks of 1 threads")) << refused.err;
  const Finished threads = run_convoy(
      {"launch", "-np", "2", "--", "train", "--threads", std::to_string(available_cores())},
      folder.path());
  EXPECT_EQ(threads.code, 2) << threads.out;
}

TEST(LaunchRun, TheTopologyIsPrintedWithoutStartingAnything) {
  const TempFolder folder;
  const Finished table = run_convoy({"launch", "--num-replicas", "64", "--num-instances", "32",
                                     "--host", "a,b,c,d", "--print-topology=yes"},
                                    folder.path());
  EXPECT_EQ(table.code, 0) << table.err;
  for (const char* word :
       {"poprun topology", "| hosts ", "| ILDs ", "| instances ", "| replicas "}) {
    EXPECT_TRUE(has(table.out, word)) << table.out;
  }
  EXPECT_TRUE(has(table.out, " 62 | 63 |\n")) << table.out;
  EXPECT_TRUE(has(table.out, "| 30 ") || has(table.out, " 31 ")) << table.out;
}

TEST(LaunchRun, AnErrorOfARankIsTheLaunchs) {
  const TempFolder folder;
  const Finished failed =
      run_convoy({"launch", "-np", "1", "--", "info", "no-such-file.safetensors"}, folder.path());
  EXPECT_EQ(failed.code, run_convoy({"info", "no-such-file.safetensors"}, folder.path()).code);
  EXPECT_TRUE(has(failed.err, "[rank 0 host localhost] convoy: error: ")) << failed.err;
  EXPECT_FALSE(has(failed.err, "mpirun")) << failed.err;
}

TEST(LaunchRun, LogsAndVariablesReachTheRanks) {
  const TempFolder folder;
  const Finished bad = run_convoy({"launch", "-np", "1", "-x", "CONVOY_THREADS_PER_RANK=x", "-x",
                                   "OTHER=1", "--log-dir", "logs", "info"},
                                  folder.path());
  EXPECT_EQ(bad.code, 2);
  const std::string log = read_file(folder / "logs/rank-0.log", Fault::bug);
  EXPECT_TRUE(has(log, "CONVOY_THREADS_PER_RANK \"x\"")) << log;
}

// As a pod of Kubernetes is started: by an mpirun that is not ours.
TEST(LaunchRun, AnotherMpirunMayHaveStartedTheRanks) {
  const TempFolder folder;
  const auto run = [&](const Arguments& options, const Arguments& verb) {
    return test::run_convoy_on(
        2, test::joined(test::joined({"launch", "--kubernetes_run=True"}, options), verb),
        folder.path());
  };
  const Arguments train =
      test::joined({"--", "train", "--quiet", "--name", "a", "--max-steps", "2"},
                   test::tiny({"--threads", "1"}));
  const Finished done =
      run({"--num-replicas", "4", "-np", "2", "--num-replicas", "2", "-x", "SOMETHING=1",
           "--interface", "lo", "--stall-timeout", "30", "--print-topology"},
          train);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(has(done.out, "poprun topology")) << done.out;
  EXPECT_TRUE(has(done.out, "\nweights ")) << done.out;
  EXPECT_TRUE(has(read_file(folder / "runs/a/args.yml", Fault::bug), "\nreplicas: 2"));
  EXPECT_EQ(split(done.err, '\n').size(), 2u) << done.err;  // one warning, by one rank
  EXPECT_TRUE(has(done.err, "does not count: --num-replicas 4")) << done.err;
  const std::vector<std::pair<Arguments, const char*>> wrong{
      {{"-np", "3"}, "--num-instances 3, but 2 were started"},
      {{"--num-workers-per-hls", "4"}, "--num-workers-per-hls 4, but"},
      {{"--hosts", "a,b"}, "--hosts means nothing with --kubernetes-run"},
      {{"-x", "NO_SUCH_VARIABLE"}, "NO_SUCH_VARIABLE"}};
  for (const auto& [options, words] : wrong) {
    const Finished refused = run(options, train);
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_TRUE(has(refused.err, words)) << refused.err;
  }
  const Finished nested = test::run_convoy_on(2, {"launch", "-np", "2", "train"}, folder.path());
  EXPECT_EQ(nested.code, 2);
  EXPECT_TRUE(has(nested.err, "try: --kubernetes-run")) << nested.err;
}

// mpirun gives ranks a terminal of its own, whatever its output goes to.
TEST(LaunchRun, AFileGetsNoControlCodes) {
  const TempFolder folder;
  const Finished launched =
      run_convoy(test::joined({"launch", "-np", "1", "--", "train"}, test::tiny({"--epochs", "2"})),
                 folder.path());
  EXPECT_EQ(launched.code, 0) << launched.err;
  const std::string all = launched.out + launched.err;
  EXPECT_EQ(all.find_first_of("\x1b\r"), all.npos) << all;
  EXPECT_TRUE(has(launched.out, "\nTrain: ")) << launched.out;
}

TEST(LaunchRun, WhatCannotBeMeantIsRefusedBeforeAnythingStarts) {
  const TempFolder folder;
  const std::vector<std::pair<Arguments, const char*>> wrong{
      {{"launch"}, "no verb"},
      {{"launch", "-np", "2"}, "no verb"},
      {{"launch", "-np", "2", "trian"}, "no verb to launch"},
      {{"launch", "-np", "1", "--", "launch", "-np", "1", "info"}, "no verb to launch"},
      {{"launch", "-np", "1", "info", "--bogus"}, "unknown option --bogus"},
      {{"launch", "-np", "x", "info"}, "whole number"},
      {{"launch", "-np", "4", "--num-replicas", "2", "train"}, "4 instances for 2 replicas"},
      {{"launch", "-np", "1", "--num-replicas", "2", "info"}, "means nothing for info"},
      {{"launch", "-np", "1", "--num-replicas", "2", "train", "--replicas", "4"}, "differ"},
      {{"launch", "-np", "2", "--oversubscribe", "info"}, "works in one process, not in 2"},
      {{"launch", "-np", "1", "--restarts", "2", "info"}, "--restarts means nothing"},
      {{"launch", "-H", "a", "--hostfile", "f", "info"}, "both name the hosts"},
      {{"launch", "--hostfile", "no-such-file", "info"}, "no-such-file"},
      {{"launch", "-H", "a:x", "info"}, "slots"},
      {{"launch", "-np", "1", "-x", "1A", "info"}, "environment variable"},
      {{"launch", "-np", "1", "-x", "NO_SUCH_VARIABLE", "info"}, "NO_SUCH_VARIABLE"},
      {{"launch", "-np", "1", "--only-output-from-instance", "1", "info"}, "instances 0 to 0"},
      {{"launch", "-np", "1", "--numa-aware", "--bind-to", "none", "info"}, "differ"},
      {{"launch", "-np", "1", "--ipus-per-replica", "2", "info"}, "ipus-per-replica"},
      {{"launch", "-np", "1", "--vipu-partition", "p", "info"}, "unknown option"},
      {{"launch", "-np", "1", "--mpi-global-args='x", "info"}, "open '"},
      {{"launch", "-np", "1", "--num-workers-per-hls", "2", "info"}, "both count"},
      {{"launch", "--kubernetes-run", "info"}, "no mpirun has started"},
      {{"launch", "-np", "1", "--threads-per-rank", "1", "train", "--threads", "2"}, "differ"},
      {{"launch", "-np", "1", "train", "--verify-resume"}, "--verify-resume"},
      {{"launch", "-np", "1", "--", "train", "--help"}, "convoy train --help"},
  };
  for (const auto& [arguments, words] : wrong) {
    const Finished result = run_convoy(arguments, folder.path());
    EXPECT_EQ(result.code, 2) << join(arguments, " ") << result.err;
    EXPECT_TRUE(has(result.err, words)) << join(arguments, " ") << ": " << result.err;
    EXPECT_FALSE(has(result.err, "[rank")) << result.err;
  }
  EXPECT_FALSE(fs::exists(folder / "runs"));
}

}  // namespace
}  // namespace convoy
