// What is trained when little is said: the data decide, and it is told in the first line.

#include <gtest/gtest.h>

#include <fstream>

#include "support/run_files.h"
#include "support/tiny_pictures.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::run_convoy;
using test::TempFolder;

class Variable {
 public:
  explicit Variable(const std::string& value) { ::setenv("DATA_DIR", value.c_str(), 1); }
  ~Variable() { ::unsetenv("DATA_DIR"); }
};

void write_photos(const fs::path& folder) {
  for (const char* split : {"train", "val"}) {
    for (int n = 0; n < 8; ++n) {
      const fs::path place = folder / split / (n % 2 ? "ant" : "bee");
      fs::create_directories(place);
      write_atomically(place / (std::to_string(n) + ".jpg"), test::tiny_jpeg(n), Fault::bug);
    }
  }
}

Json run_start(const fs::path& folder, const std::string& name) {
  return test::events(folder / "runs" / name, "run_start").at(0);
}

TEST(DefaultsRun, TheVariableDataDirChoosesTheDatasetAsTheOptionDoes) {
  const TempFolder folder;
  const fs::path cifar = folder / "cifar-10-batches-bin";
  fs::create_directories(cifar);
  for (const char* file : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4",
                           "data_batch_5", "test_batch"}) {
    test::write_bytes(cifar / (std::string(file) + ".bin"), test::cifar_bytes(8, 1, 10));
  }
  const Arguments few{"--batch-size", "8", "--max-steps", "1", "--quiet"};
  {
    const Variable set(cifar.string());
    const Finished end = run_convoy(joined({"train", "--name", "a"}, few), folder.path());
    ASSERT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(run_start(folder.path(), "a").at("dataset"), "cifar-10");
    // Typed options go before it; generated data need none.
    const Finished typed =
        run_convoy(joined({"train", "--name", "b", "--dataset", "generated"}, few), folder.path());
    ASSERT_EQ(typed.code, 0) << typed.err;
    EXPECT_EQ(run_convoy({"train", "--help"}, folder.path()).code, 0);
  }
  // The record knows the folder: the resume does without the variable.
  fs::remove_all(folder / "runs/a/checkpoints");
  fs::resize_file(folder / "runs/a/metrics.jsonl",
                  fs::file_size(folder / "runs/a/metrics.jsonl") - 1);
  const Finished resumed = run_convoy({"resume", "runs/a", "--quiet"}, folder.path());
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  const Variable strange((folder / "elsewhere").string());
  const Finished refused = run_convoy(joined({"train"}, few), folder.path());
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("DATA_DIR"), std::string::npos) << refused.err;
  EXPECT_EQ(run_convoy({"train", "--help"}, folder.path()).code, 0);
}

TEST(DefaultsRun, PhotosAreForResnet18At224AndItIsSaidFirst) {
  const TempFolder folder;
  write_photos(folder / "photos");
  const Finished end = run_convoy({"train", "--data-dir", "photos", "--batch-size", "2",
                                   "--max-steps", "1", "--eval-epochs", "0", "--name", "a"},
                                  folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  const std::string first = test::lines_of(end.out).at(0);
  EXPECT_NE(first.find("resnet18"), std::string::npos) << first;
  EXPECT_NE(first.find("224"), std::string::npos) << first;
  const Json start = run_start(folder.path(), "a");
  EXPECT_EQ(start.at("model"), "resnet18");
  EXPECT_EQ(start.at("dataset"), "imagefolder");
}

TEST(DefaultsRun, OptimisersHaveTheirNamesInAnyCase) {
  for (const auto& [typed, meant] : {std::pair{"SGD", "sgd"},
                                     {"LARS", "lars"},
                                     {"AdamW", "adamw"},
                                     {"rmsprop", "rmsprop"},
                                     {"RMSprop", "tf-rmsprop"},
                                     {"RMSProp", "tf-rmsprop"}}) {
    const test::TinyRun run(test::tiny({"--max-steps", "1", "--optimizer", typed}));
    ASSERT_EQ(run_convoy(run.train(), run.folder()).code, 0) << typed;
    const std::string args = read_file(run.dir() / "args.yml", Fault::bug);
    EXPECT_NE(args.find(std::string("optimizer: ") + meant + " "), std::string::npos) << typed;
  }
}

TEST(DefaultsRun, ProcessesOfAnotherLauncherAreRefused) {
  const TempFolder folder;
  ::setenv("RANK", "0", 1);
  ::setenv("WORLD_SIZE", "2", 1);
  const Finished end =
      run_convoy({"train", "--dataset", "generated", "--max-steps", "1"}, folder.path());
  const Finished list = run_convoy({"list", "models"}, folder.path());
  const Finished ranks = test::run_convoy_on(
      2, test::tiny({"--max-steps", "1", "--replicas", "2", "--quiet"}), folder.path());
  ::unsetenv("RANK");
  ::unsetenv("WORLD_SIZE");
  EXPECT_EQ(end.code, 2);
  EXPECT_NE(end.err.find("mpirun -np 2 convoy train --dataset generated"), std::string::npos)
      << end.err;
  EXPECT_FALSE(fs::exists(folder / "runs/cifar_resnet20-generated"));
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(ranks.code, -1);
}

}  // namespace
}  // namespace convoy
