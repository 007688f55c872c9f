// What happens to a run while it is not watched: folders renamed and removed, options edited,
// numbers forged, logs torn. Nothing is lost, and what is no longer the same run is refused with
// exit 4.

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "support/run_files.h"
#include "train/checkpoint/train_state.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::Process;
using test::tiny;
using test::TinyRun;

void expect_told(const Finished& end, int code, std::initializer_list<std::string> words) {
  EXPECT_EQ(end.code, code) << end.err;
  EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
  for (const std::string& word : words) EXPECT_NE(end.err.find(word), std::string::npos) << end.err;
}

bool has_saved(const fs::path& run, int64_t step) {
  const std::vector<int64_t> steps = test::checkpoint_steps(run);
  return !steps.empty() && steps.back() >= step;
}

bool is_saving(const fs::path& run) {
  std::error_code gone;
  for (fs::directory_iterator entry(run / "checkpoints", gone), end; !gone && entry != end;
       entry.increment(gone)) {
    if (entry->path().filename().string().starts_with(".tmp-step-")) return true;
  }
  return false;
}

// Two steps, a checkpoint after each, and the last taken back: as a kill leaves it.
struct Interrupted : TinyRun {
  explicit Interrupted(const Arguments& more = {})
      : TinyRun(tiny(test::joined({"--max-steps", "2", "--checkpoint-steps", "1"}, more))) {
    whole();
    hash = test::weights_hash_of(dir());
    take_back_the_last_step();
  }
  Finished go_on(const Arguments& more = {}) const {
    return test::run_convoy(test::joined(resume(), more), folder());
  }
  void edit(const std::string& from, const std::string& to) const {
    const fs::path args = dir() / "args.yml";
    std::string text = read_file(args, Fault::bug);
    const size_t at = text.find("\n" + from);
    ASSERT_NE(at, text.npos) << from;
    text.replace(at + 1, text.find('\n', at + 1) - at, to);
    write_atomically(args, text, Fault::bug);
  }
  std::string hash;
};

TEST(RunIntegrity, ARunWhoseLogsAreGoneIsNotRemovedWhenItFails) {
  const TinyRun run(tiny({"--epochs", "500", "--checkpoint-steps", "4"}));
  Process process(run.train(), run.folder());
  ASSERT_TRUE(process.until([&] { return has_saved(run.dir(), 8); }));
  fs::rename(run.dir() / "metrics.jsonl", run.folder() / "metrics.jsonl");
  fs::rename(run.dir() / "checkpoints", run.dir() / "kept");
  std::ofstream(run.dir() / "checkpoints") << "in the way";
  const Finished end = process.wait();
  EXPECT_EQ(end.code, 4) << end.err;
  EXPECT_TRUE(fs::exists(run.dir() / "args.yml"));
  EXPECT_TRUE(fs::exists(run.dir() / "kept/last/state.json"));
}

TEST(RunIntegrity, ARunThatFailsBeforeItsFirstEventLeavesNothing) {
  const test::TempFolder folder;
  const Finished end = test::run_convoy(
      test::joined({"train"}, tiny({"--init-from", "no.safetensors"})), folder.path());
  EXPECT_NE(end.code, 0);
  EXPECT_TRUE(!fs::exists(folder / "runs") || fs::is_empty(folder / "runs"));
}

TEST(RunIntegrity, ARenamedRunEndsWithFourAndGoesOnUnderItsNewName) {
  const Arguments recipe = tiny({"--epochs", "4", "--checkpoint-steps", "4"});
  const TinyRun whole(recipe), run(recipe);
  Process process(run.train(), run.folder());
  ASSERT_TRUE(process.until([&] { return has_saved(run.dir(), 8); }));
  fs::rename(run.dir(), run.folder() / "runs/b");
  const Finished end = process.wait();
  if (end.code == 0) GTEST_SKIP() << "the run ended before its folder was renamed";
  expect_told(end, 4, {"runs/a was renamed", "runs/b; try: convoy resume "});
  EXPECT_FALSE(fs::exists(run.dir()));
  const Finished rest = test::run_convoy({"resume", "runs/b", "--quiet"}, run.folder());
  EXPECT_EQ(rest.code, 0) << rest.err;
  whole.whole();
  test::RunRecord record = test::run_record(run.folder() / "runs/b");
  record.erase("log.txt");  // names the folder
  test::RunRecord expected = test::run_record(whole.dir());
  expected.erase("log.txt");
  test::expect_equal(record, expected);
}

TEST(RunIntegrity, ARemovedRunEndsWithFourAndItsStateIsSavedBeside) {
  const Arguments recipe = tiny({"--epochs", "4", "--checkpoint-steps", "4"});
  const TinyRun whole(recipe), run(recipe);
  Process process(run.train(), run.folder());
  ASSERT_TRUE(process.until([&] { return has_saved(run.dir(), 8); }));
  process.until([&] { return is_saving(run.dir()); });
  process.send(SIGSTOP);  // so that all of it goes at one moment, inside of a checkpoint
  fs::remove_all(run.dir());
  process.send(SIGCONT);
  const Finished end = process.wait();
  if (end.code == 0) GTEST_SKIP() << "the run ended before its folder was removed";
  expect_told(end, 4, {"runs/a was removed", "runs/a-rescued; try: convoy resume "});
  const Finished rest = test::run_convoy({"resume", "runs/a-rescued", "--quiet"}, run.folder());
  EXPECT_EQ(rest.code, 0) << rest.err;
  whole.whole();
  EXPECT_EQ(test::weights_hash_of(run.folder() / "runs/a-rescued"),
            test::weights_hash_of(whole.dir()));
}

TEST(RunIntegrity, EditedOptionsAreNamedAndRefused) {
  const Interrupted run({"--seed", "5", "--lr", "0.0625"});
  const test::RunRecord before = test::run_record(run.dir());
  const std::string args = read_file(run.dir() / "args.yml", Fault::bug);
  for (const auto& [line, now, words] : std::vector<std::array<std::string, 3>>{
           {"seed: ", "seed: 6\n", "seed was 5, now 6"},
           {"lr: ", "lr: 0.125\n", "lr was 0.0625, now 0.125"},
           {"batch-size: ", "batch-size: 8\n", "batch-size was 16, now 8"},
           {"max-steps: ", "max-steps: 3\n", "max-steps was 2, now 3"}}) {
    run.edit(line, now);
    expect_told(run.go_on(), 4, {words, "step-0000001", "--accept-changed-options"});
    write_atomically(run.dir() / "args.yml", args, Fault::bug);
  }
  test::expect_equal(test::run_record(run.dir()), before);
  EXPECT_EQ(run.go_on().code, 0);
  EXPECT_EQ(test::weights_hash_of(run.dir()), run.hash);
}

TEST(RunIntegrity, WhatChangesNoResultMayBeEdited) {
  const Interrupted run;
  run.edit("threads: ", "threads: 1\n");
  run.edit("checkpoint-keep: ", "checkpoint-keep: 2\n");
  EXPECT_EQ(run.go_on().code, 0);
  EXPECT_EQ(test::weights_hash_of(run.dir()), run.hash);
}

TEST(RunIntegrity, ChangedOptionsCanBeAccepted) {
  const Interrupted run({"--lr", "0.0625"});
  run.edit("lr: ", "lr: 0.125\n");
  const Finished end = run.go_on({"--accept-changed-options"});
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.out.find("Warning: goes on with other options than before: lr was 0.0625"),
            std::string::npos)
      << end.out;
  EXPECT_NE(test::weights_hash_of(run.dir()), run.hash);
}

// Each of these ended in a crash of the program.
TEST(RunIntegrity, ALostLineOfTheAverageIsRefusedOrAcceptedButNoCrash) {
  const Interrupted run({"--ema-decay", "0.5"});
  run.edit("ema-decay: ", "");
  expect_told(run.go_on(), 4, {"ema-decay was 0.5, now 0"});
  EXPECT_EQ(run.go_on({"--accept-changed-options"}).code, 0);
}

TEST(RunIntegrity, ACutFileOfOptionsIsTheRunsTrouble) {
  const Interrupted run;
  const std::string args = read_file(run.dir() / "args.yml", Fault::bug);
  for (const size_t part : {2, 3, 10, 100}) {
    const std::string cut = args.substr(0, args.size() * (part - 1) / part);
    write_atomically(run.dir() / "args.yml", cut, Fault::bug);
    const Finished end = run.go_on();
    EXPECT_TRUE(end.code == 4 || end.code == 0) << end.code << end.err;
    if (end.code == 0) {  // only what changes no result was cut off
      EXPECT_EQ(test::weights_hash_of(run.dir()), run.hash);
      break;
    }
  }
  const Interrupted broken;
  write_atomically(broken.dir() / "args.yml", args + "lr: {a: b}\n", Fault::bug);
  expect_told(broken.go_on(), 4, {"args.yml"});
}

TEST(RunIntegrity, FewerStepsThanAreDoneAreRefused) {
  const Interrupted run;
  StateFile about = state_file_from_json(
      read_file(run.dir() / "checkpoints/step-0000001/state.json", Fault::bug), "state.json");
  about.state.step = 3;
  about.state.options["max-steps"] = "4";
  fs::rename(run.dir() / "checkpoints/step-0000001", run.dir() / "checkpoints/step-0000003");
  std::ofstream(run.dir() / "checkpoints/step-0000003/state.json") << to_json(about);
  expect_told(run.go_on(), 4, {"max-steps was 4, now 2"});
  expect_told(run.go_on({"--accept-changed-options"}), 4, {"of step 3", "ends at step 2"});
}

TEST(RunIntegrity, ForgedNumbersBehindAValidHashAreNamed) {
  const Interrupted run;
  const fs::path file = run.dir() / "checkpoints/step-0000001/state.json";
  const std::string before = read_file(file, Fault::bug);
  for (const auto& [key, value] : std::vector<std::pair<std::string, double>>{
           {"last_step", 0}, {"epoch_loss", NAN}, {"best_score", 1e300}, {"seconds", -1}}) {
    StateFile about = state_file_from_json(before, "state.json");
    about.state.numbers[key] = value;
    std::ofstream(file) << to_json(about);
    expect_told(run.go_on(), 4, {"state.json: " + key + " is ", "; try: "});
  }
  std::ofstream(file) << before;
  EXPECT_EQ(run.go_on().code, 0);
}

TEST(RunIntegrity, ATornLastLineOfTheMetricsIsNoEnd) {
  for (const char* torn : {"7\n", "7", "\"run_end\"\n", "[]\n", "{\"event\": 3}\n", "\n",
                           "{\"event\":\"run_end\",\"exit\":\"0\"}\n"}) {
    const Interrupted run;
    std::ofstream(run.dir() / "metrics.jsonl", std::ios::app) << "\n" << torn;
    const Finished end = run.go_on();
    EXPECT_EQ(end.code, 0) << torn << end.err;
    EXPECT_EQ(test::weights_hash_of(run.dir()), run.hash);
  }
}

TEST(RunIntegrity, ALimitOnTheSizeOfFilesIsNoSpaceAndNoSignal) {
  const TinyRun run(tiny({"--max-steps", "2"}));
  const Arguments limited{"sh", "-c", "ulimit -f 64; exec \"$@\"", "sh"};
  const Finished end = Process(run.train(), run.folder(), limited).wait();
  expect_told(end, 6, {"File too large; try: ", "ulimit -f"});
}

}  // namespace
}  // namespace convoy
