// --init-from: weights of any format start a run, and the run says what of them it took.

#include <gtest/gtest.h>

#include "support/fixture.h"
#include "support/run_files.h"
#include "support/shared_data.h"
#include "weights/safetensors.h"

namespace convoy::test {
namespace {

std::string weights_line(const fs::path& run) {
  for (const std::string& line : lines_of(read_file(run / "log.txt", Fault::bug))) {
    if (line.starts_with("Weights: ")) return line;
  }
  return "";
}

TEST(InitFromRun, AHeadOfOtherClassesStartsFreshAndTheLogSaysSo) {
  const TinyRun first(tiny({"--max-steps", "2"}));
  first.whole();
  const std::string file = first.dir() / "weights/last.safetensors";
  const TinyRun second(
      tiny({"--init-from", file, "--num-classes", "12", "--lr", "0", "--max-steps", "1"}));
  second.whole();
  const std::string line = weights_line(second.dir());
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "last.safetensors (safetensors): ", line);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "; new: fc.weight, fc.bias (10 → 12)", line);
  const SafetensorsFile before = SafetensorsFile::read(file),
                        after = SafetensorsFile::read(second.dir() / "weights/last.safetensors");
  EXPECT_TRUE(std::ranges::equal(before.at("conv1.weight").data, after.at("conv1.weight").data));
  EXPECT_EQ(after.at("fc.weight").shape[0], 12);
}

TEST(InitFromRun, ARunDirectoryMeansItsBestWeightsAndACheckpointItsOwn) {
  const TinyRun first(tiny({"--max-steps", "2"}));
  first.whole();
  const Arguments more{"--lr", "0", "--max-steps", "1"};
  const auto start = [&](const fs::path& from) {
    const TinyRun run(joined(tiny(more), {"--init-from", from.string()}));
    run.whole();
    return weights_line(run.dir());
  };
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "runs/a/weights/best.safetensors (safetensors): ", start(first.dir()));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "checkpoints/last/model.safetensors (safetensors): ",
                      start(first.dir() / "checkpoints/last"));
  fs::remove(first.dir() / "weights/best.safetensors");
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "runs/a/weights/last.safetensors (safetensors): ", start(first.dir()));
  fs::remove_all(first.dir() / "weights");
  fs::remove_all(first.dir() / "checkpoints");
  const Finished end =
      run_convoy(joined({"train", "--name", "b", "--init-from", first.dir().string()}, tiny(more)),
                 first.folder());
  EXPECT_EQ(end.code, 4);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "has no weights yet; try: convoy resume", end.err);
}

TEST(InitFromRun, TorchFilesAreTakenAndWhatDoesNotFitNamesWhatDoes) {
  const TempFolder folder;
  const std::string other = fixture_path("weights/torch_zip.pt");
  const Finished end =
      run_convoy(joined({"train", "--name", "b", "--init-from", other}, tiny({"--max-steps", "1"})),
                 folder.path());
  EXPECT_EQ(end.code, 4);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "does not fit cifar_resnet8: 0 of", end.err);
  EXPECT_FALSE(fs::exists(folder / "runs/b"));

  const auto real = shared_data("weights/resnet20-12fca82f.th");
  if (!real) GTEST_SKIP();
  const Finished hint = run_convoy(
      joined({"train", "--name", "b", "--init-from", real->string()}, tiny({"--max-steps", "1"})),
      folder.path());
  EXPECT_EQ(hint.code, 4);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "try: --model cifar_resnet20", hint.err);
  const TinyRun run(
      tiny({"--model", "cifar_resnet20", "--init-from", real->string(), "--max-steps", "1"}));
  run.whole();
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "(PyTorch (legacy), taken from its state_dict, akamaster's names): 97 of 97 "
                      "tensors",
                      weights_line(run.dir()));
}

}  // namespace
}  // namespace convoy::test
