// What a run writes, and that it is not lost when the folder is renamed or removed meanwhile.

#include "train/run/run_files.h"

#include <gtest/gtest.h>

#include "support/raises.h"
#include "support/run_parts.h"
#include "train/checkpoint/checkpoint.h"

namespace convoy::test {
namespace {

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

const std::vector<float>& values_of(const SafetensorsFile& file, const std::string& name) {
  static std::vector<float> values;
  const std::span<const std::byte> bytes = file.at(name).data;
  values.resize(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(RunFiles, WeightsHaveTheParametersAndSayTheirStep) {
  const TempFolder folder;
  RunParts run(folder.path(), {{"ema-decay", "0.9"}});
  run.state.progress.step = 8;
  std::ranges::fill(run.network.state().average_params(), 0.125f);
  RunFiles files(run.site, run.state);
  files.write_weights("last.safetensors", false);
  files.write_weights("best.safetensors", true);
  EXPECT_EQ(names_in(run.dir.weights()),
            (std::vector<std::string>{"best.safetensors", "last.safetensors"}));
  const auto plain = SafetensorsFile::read(run.dir.weights() / "last.safetensors");
  const StateLayout::Slot& first = run.network.state().layout().params.front();
  const std::span<float> params = run.network.state().params();
  EXPECT_EQ(values_of(plain, first.name),
            std::vector<float>(params.begin() + first.offset,
                               params.begin() + first.offset + first.count));
  const auto average = SafetensorsFile::read(run.dir.weights() / "best.safetensors");
  EXPECT_EQ(values_of(average, first.name),
            std::vector<float>(static_cast<size_t>(first.count), 0.125f));
  EXPECT_EQ(plain.metadata().at("convoy.step"), "8");
  EXPECT_NE(plain.metadata(), average.metadata()) << "one of them says that it is the average";
}

TEST(RunFiles, ACheckpointIsToldOnceAndThatOfAStopIsNot) {
  const TempFolder folder;
  RunParts run(folder.path());
  RunFiles files(run.site, run.state);
  run.state.progress.step = 4;
  run.state.best_now = true;
  files.save(true);
  EXPECT_EQ(run.state.saved_step, 4);
  run.state.progress.step = 5;
  run.state.best_now = false;
  files.save(false);
  const std::vector<CheckpointSaved> told = run.heard.of<CheckpointSaved>();
  ASSERT_EQ(told.size(), 1);
  EXPECT_EQ(told[0].step, 4);
  EXPECT_EQ(told[0].path, "checkpoints/step-0000004");
  EXPECT_TRUE(told[0].best);
  const Checkpoint best = read_checkpoint(run.dir.checkpoints() / "best");
  EXPECT_EQ(best.state.step, 4);
  EXPECT_FALSE(best.state.stopgap);
  EXPECT_EQ(best.state.samples, 64);
  EXPECT_EQ(best.state.epoch, 1);
  EXPECT_EQ(best.state.options.at("lr"), "0.1");
  EXPECT_TRUE(best.files.contains("model.safetensors"));
  EXPECT_TRUE(best.files.contains("optimizer.safetensors"));
  EXPECT_FALSE(best.files.contains("ema.safetensors"));
  EXPECT_TRUE(read_checkpoint(run.dir.checkpoints() / "last").state.stopgap);
}

TEST(RunFiles, AFolderThatWasRenamedGetsTheCheckpointUnderItsNewName) {
  const TempFolder folder;
  RunParts run(folder.path());
  RunFiles files(run.site, run.state);
  files.expect_in_place();
  run.state.progress.step = 4;
  fs::rename(folder / "run", folder / "elsewhere");
  expect_raises(Fault::checkpoint, {"run was renamed", "step 4", "convoy resume", "elsewhere"},
                [&] { files.save(true); });
  EXPECT_EQ(read_checkpoint(folder / "elsewhere/checkpoints/last").state.step, 4);
  EXPECT_FALSE(fs::exists(folder / "run"));
  EXPECT_EQ(run.heard.of<CheckpointSaved>().size(), 1);
}

TEST(RunFiles, AFolderThatWasRemovedIsReplacedByOneThatCanBeResumed) {
  const TempFolder folder;
  RunParts run(folder.path());
  RunFiles files(run.site, run.state);
  run.state.progress.step = 4;
  fs::remove_all(folder / "run");
  expect_raises(Fault::checkpoint, {"run was removed", "run-rescued"}, [&] { files.save(true); });
  EXPECT_EQ(read_checkpoint(folder / "run-rescued/checkpoints/last").state.step, 4);
  EXPECT_TRUE(fs::exists(folder / "run-rescued/args.yml"));
  files.write_weights("last.safetensors", false);
  EXPECT_TRUE(fs::exists(folder / "run-rescued/weights/last.safetensors"));
}

}  // namespace
}  // namespace convoy::test
