// The supervisor with shell scripts in the place of mpirun: they print, hang and die as it does.

#include "launch/supervisor.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "launch/process_tree.h"
#include "support/raises.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

using test::TempFolder;

struct Result {
  int code = -1;
  std::string out, err;
};

// A launch of `script` on a:1,b:2; it finds the folder's path in $HERE.
struct Scripted {
  TempFolder folder;
  LaunchJob job;

  explicit Scripted(const std::string& script) {
    const fs::path file = folder / "mpirun";
    if (script.starts_with("#!")) {
      std::ofstream(file) << script << "\n";
    } else {
      std::ofstream(file) << "#!/bin/sh\nHERE=" << folder.path().string() << "\n" << script << "\n";
    }
    ::chmod(file.c_str(), 0755);
    job.placement = place_ranks(parse_hosts("a:1,b:2", "-H"), 0, false);
    job.mpirun = {file.string(), "--some", "option"};
    job.program = "convoy";
    job.verb = {"train", "--epochs", "1"};
    job.grace_s = 0.3;
    job.same_stop_s = 0.1;
  }

  Result run() {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = supervise(job);
    return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
  }
  std::string file(const std::string& name) { return read_file(folder / name, Fault::bug); }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

constexpr const char* both =
    "echo '[1,0]<stdout>:weights 00ff'; echo '[1,2]<stdout>:two'; "
    "echo '[1,0]<stderr>:careful' >&2; echo '[1,1]<stderr>:convoy: error: no data' >&2";

TEST(Supervisor, RankZeroSpeaksPlainlyTheOthersWithTheirName) {
  Scripted plain(both);
  const Result result = plain.run();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "weights 00ff\n[rank 2 host b] two\n");
  EXPECT_EQ(result.err, "[rank 0 host a] careful\n[rank 1 host b] convoy: error: no data\n");

  Scripted tagged(both);
  tagged.job.output.tag_all = true;
  EXPECT_TRUE(has(tagged.run().out, "[rank 0 host a] weights 00ff\n"));

  Scripted only(both);
  only.job.output.only_rank = 2;
  const Result less = only.run();
  EXPECT_EQ(less.out, "[rank 2 host b] two\n");
  EXPECT_EQ(less.err, "[rank 1 host b] convoy: error: no data\n");
}

TEST(Supervisor, EveryRankHasItsLog) {
  Scripted logged(both);
  logged.job.output.log_dir = logged.folder / "logs";
  logged.run();
  EXPECT_EQ(logged.file("logs/rank-0.log"), "weights 00ff\ncareful\n");
  EXPECT_EQ(logged.file("logs/rank-1.log"), "convoy: error: no data\n");
  EXPECT_EQ(logged.file("logs/rank-2.log"), "two\n");
}

TEST(Supervisor, TheCodeIsTheJobsOwn) {
  for (const int code : {0, 1, 2, 3, 6, 7, 75}) {
    EXPECT_EQ(Scripted("exit " + std::to_string(code)).run().code, code);
  }
  const Result saved = Scripted(
                           "echo 'plm:rsh: Warning: setpgid failed: Permission denied(13)' >&2; "
                           "echo 'Primary job terminated normally, but' >&2; exit 75")
                           .run();
  EXPECT_EQ(saved.code, 75);
  EXPECT_EQ(saved.err, "");
  const Result unexplained = Scripted("echo 'something is wrong' >&2; exit 1").run();
  EXPECT_EQ(unexplained.err, "mpirun: something is wrong\n");
}

TEST(Supervisor, AKilledRankIsNamed) {
  const Result result = Scripted(
                            "echo 'mpirun noticed that process rank 2 with PID 0 on node b exited "
                            "on signal 9 (Killed).' >&2; exit 137")
                            .run();
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.err, "launch: rank 2 (host b) was killed by signal 9\n");
}

TEST(Supervisor, AHostThatCannotBeReachedIsALoss) {
  const Result result =
      Scripted("echo 'ssh: connect to host b port 22: No route to host' >&2; exit 1").run();
  EXPECT_EQ(result.code, 7);
  EXPECT_TRUE(has(result.err, "a:1,b:2")) << result.err;
  EXPECT_TRUE(has(result.err, "connect to host b")) << result.err;
}

TEST(Supervisor, WhatHangsAfterAnErrorIsKilledWithAllBelowIt) {
  Scripted hangs(
      "sleep 1000 & echo $! > $HERE/child\n"
      "echo '[1,0]<stderr>:convoy: error: rank 2 (host b, pid 1) stopped answering at step 3' >&2\n"
      "trap '' TERM USR1; wait");
  const double begin = steady_seconds();
  EXPECT_EQ(hangs.run().code, 7);
  EXPECT_LT(steady_seconds() - begin, 20);
  const int child = std::stoi(hangs.file("child"));
  for (int i = 0; i < 100 && ::kill(child, 0) == 0; ++i) {  // until it has been reaped
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string text;
    std::getline(stat, text);
    if (has(text, ") Z ")) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_LT(i, 99) << "still runs: " << text;
  }
}

TEST(Supervisor, AfterALossTheRunIsResumed) {
  Scripted lost(
      "echo \"$@\" >> $HERE/calls\n"
      "[ $(wc -l < $HERE/calls) = 3 ] && exit 0\n"
      "echo '[1,0]<stderr>:convoy: run directory /x/my run' >&2\n"
      "exit 7");
  lost.job.restarts = 2;
  const Result result = lost.run();
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(lost.file("calls"),
            "--some option convoy train --epochs 1\n"
            "--some option convoy resume /x/my run\n"
            "--some option convoy resume /x/my run\n");
  EXPECT_TRUE(has(result.err, "restart 1 of 2: convoy resume /x/my run")) << result.err;
  EXPECT_FALSE(has(result.err, "run directory")) << result.err;
}

TEST(Supervisor, WithoutARunItStartsAgainAsItWas) {
  Scripted lost("echo \"$@\" >> $HERE/calls; exit 7");
  lost.job.restarts = 1;
  EXPECT_EQ(lost.run().code, 7);
  EXPECT_EQ(lost.file("calls"),
            "--some option convoy train --epochs 1\n--some option convoy train --epochs 1\n");
}

TEST(Supervisor, OnlyLossesAreStartedAgain) {
  for (const int code : {0, 2, 3, 5, 75}) {
    Scripted ends("echo x >> $HERE/calls; exit " + std::to_string(code));
    ends.job.restarts = 3;
    EXPECT_EQ(ends.run().code, code);
    EXPECT_EQ(ends.file("calls"), "x\n");
  }
}

// Sends the signals to this process when the script has written $HERE/ready.
std::thread signals_when_ready(const Scripted& job, std::vector<int> signals) {
  return std::thread([file = job.folder / "ready", signals] {
    sigset_t all;  // the main thread must get them
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (int i = 0; i < 1000 && !fs::exists(file); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (const int signal : signals) {
      ::kill(::getpid(), signal);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  });
}

// The signals must be blocked in every thread before the supervisor looks for them.
class SupervisorSignals : public testing::Test {
 protected:
  void SetUp() override {
    sigset_t ours;
    sigemptyset(&ours);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&ours, number);
    ::pthread_sigmask(SIG_BLOCK, &ours, &before_);
  }
  void TearDown() override { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  sigset_t before_{};
};

TEST_F(SupervisorSignals, TheFirstAsksTheRanksToSave) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) {
    Scripted saves(
        "trap 'exit 75' USR1; trap 'exit 9' TERM INT\n"
        "touch $HERE/ready; while :; do sleep 0.05; done");
    saves.job.restarts = 1;
    std::thread sender = signals_when_ready(saves, {signal});
    EXPECT_EQ(saves.run().code, 75);
    sender.join();
  }
}

TEST_F(SupervisorSignals, TheSecondKills) {
  Scripted stubborn("trap '' USR1 TERM INT; touch $HERE/ready; while :; do sleep 0.05; done");
  std::thread sender = signals_when_ready(stubborn, {SIGTERM, SIGTERM});
  EXPECT_EQ(stubborn.run().code, 128 + SIGTERM);
  sender.join();
}

TEST_F(SupervisorSignals, SeveralAtOnceAreOneStop) {
  Scripted saves("trap 'sleep 0.5; exit 75' USR1; touch $HERE/ready; while :; do sleep 0.05; done");
  saves.job.same_stop_s = 60;
  std::thread sender = signals_when_ready(saves, {SIGTERM, SIGHUP, SIGTERM});
  EXPECT_EQ(saves.run().code, 75);
  sender.join();
}

// mpirun would kill the ranks: it must not even see such a signal, and yet they must save.
TEST_F(SupervisorSignals, WhatIsSentToMpirunIsAStopToo) {
  for (const char* signal : {"TERM", "INT", "HUP"}) {
    // A shell would let blocked signals in.
    Scripted saves(
        fmt::format("#!/usr/bin/env python3\n"
                    "import os, signal, time\n"
                    "signal.signal(signal.SIGUSR1, lambda *_: os._exit(75))\n"
                    "for name in ('TERM', 'INT', 'HUP'):\n"
                    "    signal.signal(getattr(signal, 'SIG' + name), lambda *_: os._exit(9))\n"
                    "os.kill(os.getpid(), signal.SIG{})\n"
                    "while True: time.sleep(0.05)\n",
                    signal));
    EXPECT_EQ(saves.run().code, 75) << signal;
  }
}

TEST_F(SupervisorSignals, WithoutACheckpointTheCodeIsOneOfTwo) {
  for (const int signal : {SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) {
    Scripted dies("trap 'exit 138' USR1; touch $HERE/ready; while :; do sleep 0.05; done");
    std::thread sender = signals_when_ready(dies, {signal});
    EXPECT_EQ(dies.run().code, signal == SIGINT ? 130 : 143);
    sender.join();
  }
}

TEST(Supervisor, RanksThatSayNothingAnyMoreAreNamedAndKilled) {
  Scripted silent(
      "for rank in 0 1 2; do echo \"[1,$rank]<stderr>:convoy: beat\" >&2; done\n"
      "trap '' TERM USR1; while :; do echo '[1,1]<stderr>:convoy: beat' >&2; sleep 0.1; done");
  silent.job.silence_s = 1;
  const Result result = silent.run();
  EXPECT_EQ(result.code, 7);
  EXPECT_TRUE(has(result.err,
                  "convoy: error: rank 0 (host a) stopped answering, rank 2 (host b) stopped "
                  "answering; try: "))
      << result.err;
  EXPECT_FALSE(has(result.err, "beat")) << result.err;
}

TEST(Supervisor, AStoppedMpirunIsNamedAndKilled) {
  Scripted stopped("echo '[1,0]<stderr>:convoy: beat' >&2; kill -STOP $$");
  stopped.job.silence_s = 1;
  const Result result = stopped.run();
  EXPECT_EQ(result.code, 7);
  EXPECT_TRUE(has(result.err, "convoy: error: mpirun (pid ")) << result.err;
  EXPECT_TRUE(has(result.err, ") is stopped; try: ")) << result.err;
}

TEST(Supervisor, AnMpirunThatDoesNotEndAfterItsRanksIsKilled) {
  Scripted stays(
      "for rank in 0 1 2; do echo \"[1,$rank]<stderr>:convoy: last beat\" >&2; done\n"
      "while :; do sleep 0.1; done");
  stays.job.silence_s = 1;
  const Result result = stays.run();
  EXPECT_EQ(result.code, 7);
  EXPECT_TRUE(has(result.err, "does not end, though all ranks have")) << result.err;
}

TEST(Supervisor, ABeatBehindAnUnfinishedLineIsTakenOff) {
  const Result result = Scripted("echo '[1,1]<stderr>:half a lineconvoy: beat' >&2; exit 0").run();
  EXPECT_EQ(result.err, "[rank 1 host b] half a line\n");
}

TEST(Supervisor, WhatOutlivesMpirunIsKilled) {
  Scripted orphans("sleep 1000 & echo $! > $HERE/child; kill -KILL $$");
  EXPECT_EQ(orphans.run().code, 7);
  EXPECT_NE(::kill(std::stoi(orphans.file("child")), 0), 0);
}

TEST_F(SupervisorSignals, AVerbThatCannotSaveEndsAsBySignal) {
  Scripted dies(
      "trap 'echo mpirun noticed that process rank 0 with PID 0 on node a exited on signal 10 >&2; "
      "exit 138' USR1\n"
      "touch $HERE/ready; while :; do sleep 0.05; done");
  std::thread sender = signals_when_ready(dies, {SIGTERM});
  EXPECT_EQ(dies.run().code, 128 + SIGTERM);
  sender.join();
}

TEST(Supervisor, AMissingMpirunIsSaidPlainly) {
  Scripted none("");
  none.job.mpirun = {"no-such-mpirun"};
  test::expect_raises(Fault::usage, {"no-such-mpirun", "openmpi-bin"},
                      [&] { supervise(none.job); });
}

TEST(ProcessTree, HasChildrenAndTheirs) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::fork() == 0) ::pause();
    ::pause();
  }
  for (int i = 0; i < 500 && process_tree(child).size() < 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(process_tree(child).size(), 2u);
  EXPECT_EQ(process_tree(child)[0], child);
  kill_tree(child);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(process_tree(child), std::vector<pid_t>{child});
}

}  // namespace
}  // namespace convoy
