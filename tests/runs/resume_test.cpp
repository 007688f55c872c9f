// A run that was killed, stopped or damaged and then resumed ends as if nothing had happened: every
// file of it, times aside.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "base/random.h"
#include "support/run_files.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::Process;
using test::tiny;
using test::TinyRun;

constexpr int requeue = 75;

bool is_writing_a_checkpoint(const fs::path& run) {
  std::error_code gone;
  for (fs::directory_iterator entry(run / "checkpoints", gone), end; !gone && entry != end;
       entry.increment(gone)) {
    if (entry->path().filename().string().starts_with(".tmp-step-")) return true;
  }
  return false;
}

int64_t newest(const fs::path& run) {
  const std::vector<int64_t> steps = test::checkpoint_steps(run);
  return steps.empty() ? -1 : steps.back();
}

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

uintmax_t size_of(const fs::path& file) {
  std::error_code missing;
  const uintmax_t size = fs::file_size(file, missing);
  return missing ? 0 : size;
}

// Brings a process to the k-th kind of moment. The run advances by no more than a few checkpoints,
// so that it cannot end before it was interrupted often enough. False when it ended all the same.
bool reach(Process& process, const TinyRun& run, int k, int signal, Random& random) {
  const fs::path sessions = run.dir() / "sessions.jsonl";
  const int64_t before = newest(run.dir());
  const uintmax_t said = size_of(sessions);
  const auto checkpoints = [&](int64_t count) {
    const int64_t first = newest(run.dir());
    int64_t seen = first;
    return process.until([&] {
      const int64_t now = newest(run.dir());
      count -= now > seen;
      seen = now;
      return count <= 0;
    });
  };
  switch (k % 4) {
    case 0:  // while it reads the last checkpoint and cuts the logs
      if (signal == SIGKILL && before >= 0) {
        sleep_for(0.03 * random.uniform());
        return true;
      }
      return process.until([&] { return size_of(sessions) > said; });
    case 1:  // inside the writing of a checkpoint
      return checkpoints(1) && process.until([&] { return is_writing_a_checkpoint(run.dir()); });
    case 2:  // right after one has got its name: links and pruning are still to come
      return checkpoints(1);
    default:  // anywhere
      if (!checkpoints(1 + random.below(3))) return false;
      sleep_for(0.01 * random.uniform());
      return true;
  }
}

// On a busy machine a run may end before its signal comes: `attempt` says so with false, and is
// made again.
void in_time(const std::function<bool()>& attempt) {
  for (int i = 0; i < 5; ++i) {
    if (attempt() || testing::Test::HasFatalFailure()) return;
  }
  FAIL() << "five runs ended before they could be interrupted";
}

// Interrupts with the signals, one after the other, and then lets it end. False when it had ended
// before the last of them.
bool interrupt(const TinyRun& run, const std::vector<int>& signals, uint64_t seed) {
  Random random(random_key(seed, Purpose::generated));
  for (size_t k = 0; k < signals.size(); ++k) {
    Process process(run.next(), run.folder());
    const bool there = reach(process, run, static_cast<int>(k), signals[k], random);
    process.send(signals[k]);
    const Finished end = process.wait();
    EXPECT_EQ(end.err, "");
    if (end.code == 0) return false;
    EXPECT_TRUE(there);
    EXPECT_EQ(end.code, signals[k] == SIGKILL ? 128 + SIGKILL : requeue);
  }
  const Finished last = test::run_convoy(run.next(), run.folder());
  EXPECT_EQ(last.code, 0) << last.err;
  return true;
}

void expect_as_if_nothing_had_happened(const Arguments& recipe, const std::vector<int>& signals,
                                       uint64_t seed) {
  const TinyRun whole(recipe);
  whole.whole();
  in_time([&] {
    const TinyRun pieces(recipe);
    if (!interrupt(pieces, signals, seed)) return false;
    test::expect_equal(test::run_record(pieces.dir()), test::run_record(whole.dir()));
    return true;
  });
}

// Kills a new run once it has saved that step.
bool kill_after(const TinyRun& run, int64_t step) {
  Process process(run.train(), run.folder());
  process.until([&] { return newest(run.dir()) >= step; });
  process.send(SIGKILL);
  return process.wait().code != 0;
}

TEST(Resume, AfterTenKillsEveryFileIsThatOfTheUninterruptedRun) {
  expect_as_if_nothing_had_happened(
      tiny({"--epochs", "8", "--checkpoint-steps", "2", "--log-steps", "3"}),
      std::vector<int>(10, SIGKILL), 1);
}

TEST(Resume, AfterKillsWithAMovingAverage) {
  expect_as_if_nothing_had_happened(
      tiny({"--epochs", "4", "--checkpoint-steps", "1", "--ema-decay", "0.9", "--ema-steps", "3"}),
      std::vector<int>(5, SIGKILL), 2);
}

TEST(Resume, AfterKillsAndStopsWithReplicasAccumulationAndACarriedTail) {
  expect_as_if_nothing_had_happened(
      tiny({"--epochs", "8", "--checkpoint-steps", "2", "--batch-size", "6", "--replicas", "3",
            "--gradient-accumulation-count", "2", "--epoch-tail", "carry", "--bn-update", "step",
            "--eval-epochs", "1.5", "--checkpoint-epochs", "0.7"}),
      {SIGKILL, SIGTERM, SIGKILL, SIGKILL, SIGTERM}, 3);
}

TEST(Resume, AfterKillsAndStopsWithAShortTail) {
  expect_as_if_nothing_had_happened(
      tiny({"--epochs", "4", "--checkpoint-steps", "2", "--batch-size", "15", "--epoch-tail",
            "short", "--augment", "pad-crop,flip", "--crop-padding", "1"}),
      {SIGTERM, SIGKILL, SIGINT, SIGKILL}, 4);
}

TEST(Resume, AfterStopsEveryFileIsThatOfTheUninterruptedRun) {
  expect_as_if_nothing_had_happened(
      tiny({"--epochs", "8", "--checkpoint-steps", "3", "--checkpoint-keep", "2"}),
      {SIGTERM, SIGINT, SIGTERM, SIGTERM, SIGINT, SIGTERM}, 5);
}

// Images one by one make an evaluation of a few hundred steps; the moving average doubles it.
TEST(Resume, AStopDuringAnEvaluationRepeatsItAndTellsItOnce) {
  const Arguments recipe =
      tiny({"--generated-samples", "1600", "--batch-size", "200", "--epochs", "4", "--log-steps",
            "1", "--eval-batch-size", "1", "--ema-decay", "0.5", "--checkpoint-epochs", "2"});
  const TinyRun whole(recipe);
  whole.whole();
  double evaluation_s = 0;
  for (const test::Json& event : test::events(whole.dir(), "eval")) {
    evaluation_s += event.at("seconds").get<double>() / 4;
  }
  Random random(random_key(6, Purpose::generated));
  in_time([&] {
    const TinyRun pieces(recipe);
    const fs::path metrics = pieces.dir() / "metrics.jsonl";
    int inside = 0;
    for (int epoch = 1; epoch <= 4; ++epoch) {
      Process process(pieces.next(), pieces.folder());
      const std::string last_step = fmt::format("\"step\":{},\"samples\"", 8 * epoch);
      process.until([&] {
        return fs::exists(metrics) &&
               read_file(metrics, Fault::bug).find(last_step) != std::string::npos;
      });
      sleep_for(evaluation_s * random.uniform());
      process.send(SIGTERM);
      const int code = process.wait().code;
      if (code == 0) break;
      EXPECT_EQ(code, requeue);
      const auto state = nlohmann::json::parse(
          read_file(pieces.dir() / "checkpoints/last/state.json", Fault::bug));
      inside += state.at("numbers").at("boundary_pending") == 1.0;
    }
    EXPECT_EQ(test::run_convoy(pieces.next(), pieces.folder()).code, 0);
    test::expect_equal(test::run_record(pieces.dir()), test::run_record(whole.dir()));
    return inside > 0;
  });
}

// A step of this takes seconds, so that the second signal finds the first one's step still running:
// one that comes at once is the same stop, one that comes later ends the process.
TEST(Resume, TheSecondSignalEndsTheProcessAtOnce) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const TinyRun run({"--dataset", "generated", "--generated-samples", "512", "--batch-size",
                       "512", "--model", "cifar_resnet56", "--threads", "1"});
    Process process(run.train(), run.folder());
    ASSERT_TRUE(process.until([&] {
      return fs::exists(run.dir() / "metrics.jsonl") &&
             fs::file_size(run.dir() / "metrics.jsonl") > 0;
    }));
    process.send(signal);
    sleep_for(0.05);
    process.send(signal);
    sleep_for(1.1);
    EXPECT_FALSE(process.has_ended());
    process.send(signal);
    EXPECT_EQ(process.wait().code, signal == SIGINT ? 130 : 143);
    EXPECT_TRUE(test::checkpoint_steps(run.dir()).empty());
  }
}

TEST(Resume, AStopSaysHowToGoOnAndLeavesItsEvents) {
  const TinyRun run(tiny({"--epochs", "200"}));
  Process process(test::joined({"train", "--name", "a"}, tiny({"--epochs", "200"})), run.folder());
  ASSERT_TRUE(process.until([&] { return newest(run.dir()) > 0; }));
  process.send(SIGTERM);
  const Finished end = process.wait();
  EXPECT_EQ(end.code, requeue);
  EXPECT_EQ(end.err, "");
  EXPECT_NE(end.out.find("go on with: convoy resume runs/a"), std::string::npos) << end.out;
  const std::vector<test::Json> events = test::events(run.dir());
  ASSERT_GE(events.size(), 2u);
  const test::Json& stop = events[events.size() - 2];
  EXPECT_EQ(stop.at("event"), "stop");
  EXPECT_EQ(stop.at("signal"), SIGTERM);
  EXPECT_TRUE(fs::exists(run.dir() / stop.at("checkpoint") / "state.json"));
  EXPECT_EQ(events.back().at("event"), "run_end");
  EXPECT_EQ(events.back().at("exit"), requeue);
  EXPECT_EQ(test::lines_of(end.out).back(),
            "weights " + events.back().at("weights_hash").get<std::string>());
}

TEST(Resume, AFinishedRunSaysSoAndStaysAsItIs) {
  const TinyRun run(tiny({"--epochs", "1"}));
  run.whole();
  const auto all = [&] {
    std::map<std::string, std::string> content;
    for (const auto& entry : fs::recursive_directory_iterator(run.dir())) {
      if (entry.is_regular_file() && entry.path().filename() != ".lock") {
        content[entry.path()] = read_file(entry.path(), Fault::bug);
      }
    }
    return content;
  };
  const auto before = all();
  const Finished end = test::run_convoy(TinyRun::resume(), run.folder());
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(end.out,
            "runs/a has finished: step 16\nweights " + test::weights_hash_of(run.dir()) + "\n");
  EXPECT_EQ(all(), before);
}

TEST(Resume, ADamagedCheckpointIsPassedOverWithAWarning) {
  const Arguments recipe = tiny({"--epochs", "3", "--checkpoint-steps", "5"});
  const TinyRun whole(recipe);
  whole.whole();
  in_time([&] {
    const TinyRun damaged(recipe);
    if (!kill_after(damaged, 20)) return false;
    const std::string name = fmt::format("step-{:07}", newest(damaged.dir()));
    const fs::path file = damaged.dir() / "checkpoints" / name / "optimizer.safetensors";
    std::string content = read_file(file, Fault::bug);
    content[content.size() / 2] ^= 1;
    std::ofstream(file, std::ios::binary) << content;

    const Finished end = test::run_convoy(TinyRun::resume(), damaged.folder());
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_NE(end.out.find("Warning: "), std::string::npos) << end.out;
    EXPECT_NE(end.out.find(name + "/optimizer.safetensors: damaged"), std::string::npos) << end.out;
    test::RunRecord record = test::run_record(damaged.dir());
    std::erase_if(record, [](const auto& entry) {
      return entry.first.starts_with("checkpoints/set-aside-");
    });
    test::expect_equal(record, test::run_record(whole.dir()));
    return true;
  });
}

TEST(Resume, OnlyDamagedCheckpointsAreAnError) {
  const TinyRun run(tiny({"--epochs", "100", "--checkpoint-steps", "4"}));
  ASSERT_TRUE(kill_after(run, 8));
  for (const int64_t step : test::checkpoint_steps(run.dir())) {
    fs::resize_file(run.dir() / fmt::format("checkpoints/step-{:07}/model.safetensors", step), 99);
  }
  const test::RunRecord before = test::run_record(run.dir());
  const Finished end = test::run_convoy(TinyRun::resume(), run.folder());
  EXPECT_EQ(end.code, 4);
  EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
  EXPECT_TRUE(end.err.starts_with("convoy: error: no sound checkpoint")) << end.err;
  const test::RunRecord after = test::run_record(run.dir());
  for (const auto& [file, content] : before) {
    const bool is_leftover = fs::path(file).filename().string().starts_with('.');  // of the kill
    EXPECT_TRUE(is_leftover || after.contains(file)) << file;
  }
}

TEST(Resume, OtherThreadsGoOnWithTheSameBits) {
  const Arguments recipe = tiny({"--epochs", "2", "--checkpoint-steps", "3"});
  const TinyRun whole(recipe);
  whole.whole();
  in_time([&] {
    const TinyRun pieces(recipe);
    if (!kill_after(pieces, 3)) return false;
    const Arguments resume = test::joined(TinyRun::resume(), {"--threads", "5"});
    EXPECT_EQ(test::run_convoy(resume, pieces.folder()).code, 0);
    test::expect_equal(test::run_record(pieces.dir()), test::run_record(whole.dir()));
    return true;
  });
}

// As a kill between the two files of a start left it in older versions.
TEST(Resume, AMissingEnvironmentIsWrittenAnew) {
  const TinyRun run(tiny({"--max-steps", "2", "--checkpoint-steps", "1"}));
  run.whole();
  const std::string before = read_file(run.dir() / "env.json", Fault::bug);
  run.take_back_the_last_step();
  fs::remove(run.dir() / "env.json");
  EXPECT_EQ(test::run_convoy(TinyRun::resume(), run.folder()).code, 0);
  EXPECT_EQ(read_file(run.dir() / "env.json", Fault::bug), before);
}

TEST(Resume, VerifyResumeFindsThemEqual) {
  const test::TempFolder folder;
  const Finished end =
      test::run_convoy(test::joined({"train", "--verify-resume"},
                                    tiny({"--epochs", "2", "--checkpoint-steps", "2"})),
                       folder.path());
  EXPECT_EQ(end.code, 0) << end.err << end.out;
  EXPECT_NE(end.out.find("equal: weights, summary.csv, metrics.jsonl\n"), std::string::npos);
  EXPECT_EQ(end.out.find("weights "), end.out.rfind("weights ")) << end.out;
  EXPECT_TRUE(fs::is_empty(folder / "runs"));
}

// The recipe of the second run is changed while it does not run.
TEST(Resume, VerifyResumeFindsADifference) {
  const test::TempFolder folder;
  Process process(test::joined({"train", "--verify-resume", "--name", "x"},
                               tiny({"--epochs", "8", "--lr", "0.0625"})),
                  folder.path());
  const fs::path args = folder / "runs/x-verify-resume/pieces/args.yml";
  ASSERT_TRUE(process.until([&] { return fs::exists(args); }));
  std::string text = read_file(args, Fault::bug);
  const size_t at = text.find("lr: 0.0625");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 10, "lr: 0.1250");
  write_atomically(args, text, Fault::bug);
  const Finished end = process.wait();
  EXPECT_EQ(end.code, 4) << end.out;
  // A resume refuses the other recipe; only before the first checkpoint there is nothing to
  // compare.
  EXPECT_NE(end.err.find("convoy: error: --verify-resume: "), std::string::npos) << end.err;
  EXPECT_TRUE(end.err.find("lr was 0.0625, now 0.125;") != std::string::npos ||
              end.err.find("differs") != std::string::npos)
      << end.err;
}

}  // namespace
}  // namespace convoy
