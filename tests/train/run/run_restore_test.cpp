// A run that goes on from its folder: everything as it was, or one line that says why not.

#include "train/run/run_restore.h"

#include <gtest/gtest.h>

#include "support/raises.h"
#include "support/run_parts.h"
#include "support/tiny_sets.h"
#include "train/run/run_files.h"

namespace convoy::test {
namespace {

using Options = std::map<std::string, std::string>;

bool restore(RunParts& run) {
  const WholeSlots slots(run.network.state(), run.setup.plans.shares(), nullptr);
  return restore_run(run.site, run.state, slots);
}

// Saves a checkpoint of `step` whose tensors and numbers are functions of it.
void save_step(RunParts& run, int64_t step) {
  const State& state = run.network.state();
  const auto value = static_cast<float>(step);
  std::ranges::fill(state.params(), value);
  std::ranges::fill(state.stats(), 2 * value);
  for (int i = 0; i < state.slot_count(); ++i) std::ranges::fill(state.slot(i), 3 * value);
  RunProgress& progress = run.state.progress;
  progress.step = step;
  progress.best_score = 10.5 + static_cast<double>(step);
  progress.stale = step / 2;
  progress.lr = 0.1;
  run.state.epoch->clear();
  run.state.epoch->add(std::array{0.5 * static_cast<double>(step), 0.0});
  RunFiles(run.site, run.state).save(true);
}

// The folder of a run with checkpoints of steps 4 and 8; its lock is free again.
fs::path run_of_two(const TempFolder& folder, const Options& options = {}) {
  RunParts run(folder.path(), options);
  save_step(run, 4);
  write_bytes(run.dir.metrics(), "to step 4\n");
  save_step(run, 8);
  write_bytes(run.dir.metrics(), "to step 4\nbeyond step 8\n");
  return run.dir.path();
}

RunParts again(const fs::path& path, const Options& options = {}) {
  return RunParts(RunDir::open(path), options);
}

TEST(RunRestore, BringsBackTensorsNumbersAndLogs) {
  const TempFolder folder;
  const fs::path path = run_of_two(folder);
  RunParts run = again(path);
  ASSERT_TRUE(restore(run));
  const State& state = run.network.state();
  for (const StateLayout::Slot& slot : state.layout().params) {
    ASSERT_EQ(state.params()[static_cast<size_t>(slot.offset)], 8) << slot.name;
    ASSERT_EQ(state.slot(0)[static_cast<size_t>(slot.offset)], 24) << slot.name;
  }
  for (const StateLayout::Slot& slot : state.layout().stats) {
    ASSERT_EQ(state.stats()[static_cast<size_t>(slot.offset)], 16) << slot.name;
  }
  EXPECT_EQ(run.state.progress.step, 8);
  EXPECT_EQ(run.state.saved_step, 8);
  EXPECT_EQ(run.state.progress.best_score, 18.5);
  EXPECT_EQ(run.state.progress.stale, 4);
  EXPECT_EQ(run.state.epoch->samples(), 1);
  EXPECT_EQ(run.state.epoch->loss(), 4);
  EXPECT_EQ(read_file(run.dir.metrics(), Fault::bug), "to step 4\n");
  const std::vector<Resumed> told = run.heard.of<Resumed>();
  ASSERT_EQ(told.size(), 1);
  EXPECT_EQ(told[0].step, 8);
  EXPECT_EQ(told[0].path, "checkpoints/step-0000008");
  EXPECT_TRUE(run.heard.of<Warning>().empty());
}

TEST(RunRestore, PassesOverADamagedCheckpointWithAWarning) {
  const TempFolder folder;
  const fs::path path = run_of_two(folder);
  const fs::path model = path / "checkpoints/step-0000008/model.safetensors";
  fs::resize_file(model, fs::file_size(model) - 1);
  RunParts run = again(path);
  ASSERT_TRUE(restore(run));
  EXPECT_EQ(run.state.progress.step, 4);
  EXPECT_EQ(run.network.state().params()[0], 4);
  const std::vector<Warning> told = run.heard.of<Warning>();
  ASSERT_FALSE(told.empty());
  EXPECT_NE(told[0].text.find("step-0000008"), std::string::npos) << told[0].text;
}

TEST(RunRestore, WithoutACheckpointThereIsNothingButAnEventIfTheRunHadBegun) {
  const TempFolder folder;
  RunParts fresh(folder.path());
  EXPECT_FALSE(restore(fresh));
  EXPECT_TRUE(fresh.heard.of<Resumed>().empty());
  write_bytes(fresh.dir.metrics(), "a first line\n");
  EXPECT_FALSE(restore(fresh));
  ASSERT_EQ(fresh.heard.of<Resumed>().size(), 1);
  EXPECT_EQ(fresh.heard.of<Resumed>()[0].path, "");
  EXPECT_EQ(fs::file_size(fresh.dir.metrics()), 0) << "the run begins again";
}

TEST(RunRestore, OtherOptionsAreNamedAndChangeNothing) {
  const TempFolder folder;
  const fs::path path = run_of_two(folder);
  RunParts run = again(path, {{"lr", "0.2"}});
  const std::vector<float> before = run.params();
  expect_raises(Fault::checkpoint, {"lr was 0.1, now 0.2", "--accept-changed-options"},
                [&] { restore(run); });
  EXPECT_EQ(run.params(), before);
  EXPECT_EQ(read_file(run.dir.metrics(), Fault::bug), "to step 4\nbeyond step 8\n");
}

TEST(RunRestore, AShorterRunThanItsCheckpointIsRefused) {
  const TempFolder folder;
  const fs::path path = run_of_two(folder);
  RunConfig shorter = small_run({{"epochs", "1"}});
  shorter.accept_changed_options = true;
  const RunSetup setup(shorter);
  Network network(setup.plans, 1);
  const RunDir dir = RunDir::open(path);
  Heard heard;
  const RunSite site{shorter, dir, heard, nullptr, setup, network};
  RunState state;
  state.epoch = setup.task->results();
  const WholeSlots slots(network.state(), setup.plans.shares(), nullptr);
  expect_raises(Fault::checkpoint, {"is of step 8", "ends at step 4"},
                [&] { restore_run(site, state, slots); });
}

TEST(RunRestore, NumbersThatCannotBeAreRefusedByName) {
  const TempFolder folder;
  RunParts run(folder.path());
  save_step(run, 4);
  run.state.progress.stale = 5;  // evaluations in four steps
  RunFiles(run.site, run.state).save(true);
  expect_raises(Fault::checkpoint, {"state.json", "stale is 5", "between 0 and 4"},
                [&] { restore(run); });
}

}  // namespace
}  // namespace convoy::test
