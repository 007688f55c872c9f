// Commands of other programs that run: scaled down by --set, as a user would. Tests
// src/app/dialects/ and src/app/train/start_run.cpp.

#include "app/dialects/run_dialect.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files/file.h"
#include "base/text/text.h"
#include "launch/mpirun.h"
#include "support/process.h"

namespace convoy::test {
namespace {

// Small enough for a second.
const std::string small =
    " --set dataset=generated --set model=cifar_resnet8 --set image-size=32 --set "
    "generated-samples=64 "
    "--set generated-classes=10 --set batch-size=4 --set max-steps=2 --set threads=1 --set "
    "output=. --set name=run";

Finished run_small(const std::string& command, const TempFolder& folder) {
  return run_convoy(shell_words(command + small, "a test"), folder.path());
}

nlohmann::json migration_of(const TempFolder& folder) {
  return nlohmann::json::parse(read_file(folder.path() / "run/migration.json", Fault::bug));
}

class DialectRun : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(DialectRun, TrainsAndRecordsWhatItTranslated) {
  const TempFolder folder;
  const Finished end = run_small(GetParam().first, folder);
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.out.find("weights "), end.out.npos) << end.out;
  const nlohmann::json record = migration_of(folder);
  EXPECT_EQ(record["dialect"], GetParam().second);
  EXPECT_EQ(record["total_steps"], 2);
  EXPECT_TRUE(record["options"].contains("set max-steps=2"));
}

INSTANTIATE_TEST_SUITE_P(
    Stacks, DialectRun,
    testing::Values(
        std::pair{"keras -dt bf16 -dlit bf16 -te 90 --enable_xla", "keras"},
        std::pair{"resnext -dt bf16 -te 90 -ebe 90 --hooks ProfilerHook --profile_steps 1,2",
                  "resnext"},
        std::pair{"torchvision --opt=sgd --epochs=90 --use-torch-compile --device hpu --amp",
                  "torchvision"},
        std::pair{"cnns train --dataset cifar-10 --precision 32.32 --generated-data --batch-norm",
                  "cnns"}),
    [](const auto& each) { return std::string(each.param.second); });

TEST(DialectRuns, TheDetectorOfSsdTrains) {
  const TempFolder folder;
  const Finished end = run_convoy(shell_words("ssd -f -d fp32 -b 1 -e 2 --steps 1 --model_dir run "
                                              "--set image-size=300 --set generated-samples=2 "
                                              "--set threads=1 --set memory=8G",
                                              "a test"),
                                  folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(migration_of(folder)["model"], "ssd_resnet34");
  EXPECT_NE(end.err.find("starts from random numbers"), end.err.npos) << end.err;
}

TEST(DialectRuns, HardwareOptionsAreToldOnceAndRecorded) {
  const TempFolder folder;
  const Finished end =
      run_small("torchvision --device cuda --use-torch-compile --epochs 3", folder);
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.err.find("recorded in migration.json and without effect: use-torch-compile"),
            end.err.npos)
      << end.err;
  EXPECT_NE(end.err.find("--device cuda: Convoy computes on the CPU"), end.err.npos);
  EXPECT_EQ(migration_of(folder)["recorded_only"], nlohmann::json::array({"use-torch-compile"}));
}

TEST(DialectRuns, MaxCpusLimitsTheCores) {
  const TempFolder folder;
  const Finished end = run_small("resnext --max_cpus 1", folder);
  ASSERT_EQ(end.code, 0) << end.err;
  const size_t at = end.err.find("on cores ");
  ASSERT_NE(at, end.err.npos) << end.err;
  int first = -1, last = -2;
  std::sscanf(end.err.c_str() + at, "on cores %d to %d", &first, &last);
  EXPECT_EQ(first, last);
}

TEST(DialectRuns, ExplainRunsNothing) {
  const TempFolder folder;
  const Finished end =
      run_convoy({"keras", "-dt", "bf16", "--explain", "--data_dir", "/nowhere"}, folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.out.find("--precision 16.32"), end.out.npos) << end.out;
  EXPECT_NE(end.out.find("5,004 an epoch"), end.out.npos) << end.out;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(DialectRuns, CleanRemovesARunAndNothingElse) {
  const TempFolder folder;
  const std::string command = "keras --model_dir run --clean";
  ASSERT_EQ(run_small(command, folder).code, 0);
  std::ofstream(folder.path() / "run/mine.txt") << "x";
  ASSERT_EQ(run_small(command, folder).code, 0);
  EXPECT_FALSE(fs::exists(folder.path() / "run/mine.txt"));
  fs::create_directory(folder.path() / "photos");
  std::ofstream(folder.path() / "photos/cat.jpg") << "x";
  const Finished end = run_small("keras --model_dir photos --clean", folder);
  EXPECT_EQ(end.code, 2);
  EXPECT_NE(end.err.find("no run of Convoy"), end.err.npos) << end.err;
  EXPECT_TRUE(fs::exists(folder.path() / "photos/cat.jpg"));
}

TEST(DialectRuns, ARunInTheFolderGoesOn) {
  const TempFolder folder;
  const std::string command = "keras --model_dir run --enable_checkpoint_and_export -te 4";
  ASSERT_EQ(run_small(command, folder).code, 0);
  const Finished again = run_small(command, folder);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("goes on"), again.err.npos) << again.err;
  EXPECT_FALSE(fs::exists(folder.path() / "run-2"));
  const Finished other = run_small(command + " --label_smoothing 0.3", folder);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("holds a run with other options (label-smoothing"), other.err.npos)
      << other.err;
}

TEST(DialectRuns, WrongOptionsEndWithTwoAndTheNearest) {
  const TempFolder folder;
  const Finished end = run_convoy({"ssd", "--bathc_size", "3"}, folder.path());
  EXPECT_EQ(end.code, 2);
  EXPECT_NE(end.err.find("nearest: --batch_size"), end.err.npos) << end.err;
  EXPECT_EQ(run_convoy({"cnns", "trian"}, folder.path()).code, 2);
}

// Two processes of torchrun's command, and of mpirun's, give the weights of one process with two
// replicas.
TEST(DialectRunsDist, LaunchersStartTheirProcesses) {
  const auto weights = [](const Finished& end) {
    EXPECT_EQ(end.code, 0) << end.err;
    const size_t at = end.out.rfind("weights ");
    return at == end.out.npos ? std::string() : end.out.substr(at, 24);
  };
  const TempFolder one, two, three;
  const std::string options = " --epochs=3 --set oversubscribe=true";
  const std::string alone = weights(run_small("torchvision --epochs=3 --set replicas=2", one));
  EXPECT_EQ(weights(run_small("torchrun --nproc_per_node 2 train.py" + options, two)), alone);
  EXPECT_EQ(migration_of(two)["ranks"], 2);
  const Finished under =
      run_convoy_on(2, shell_words("torchvision --epochs=3" + small, "a test"), three.path());
  EXPECT_EQ(weights(under), alone);
}

TEST(DialectRuns, PoprunPrintsTheTopologyOfTheDocument) {
  const TempFolder folder;
  const Finished end =
      run_convoy({"poprun", "--num-replicas", "8", "--num-instances", "2", "--print-topology=yes"},
                 folder.path());
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.out.find("| replicas  | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |"), end.out.npos) << end.out;
}

}  // namespace
}  // namespace convoy::test
