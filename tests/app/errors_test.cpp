// Bad input: one line that helps, the exit code of who must act, nothing lost and nothing left
// behind.

#include <gtest/gtest.h>
#include <signal.h>

#include "support/run_files.h"
#include "support/small_disk.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Process;
using test::TempFolder;
using test::tiny;
using test::TinyRun;
using test::write_bytes;

constexpr int usage = 2, data = 3, checkpoint = 4, no_space = 6;

void expect_one_line(const Finished& end, int code, const Arguments& words) {
  EXPECT_EQ(end.code, code) << end.err;
  EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
  EXPECT_TRUE(end.err.starts_with("convoy: error: ")) << end.err;
  EXPECT_TRUE(end.err.ends_with("\n")) << end.err;
  for (const std::string& word : words) {
    EXPECT_NE(end.err.find(word), std::string::npos) << "no '" << word << "' in: " << end.err;
  }
}

// Refused before there was a run: no folder is left.
void expect_refused(const Arguments& arguments, int code, const Arguments& words,
                    const fs::path& folder) {
  SCOPED_TRACE(testing::PrintToString(arguments));
  const Finished end = test::run_convoy(arguments, folder);
  expect_one_line(end, code, words);
  EXPECT_EQ(end.out, "");
  EXPECT_TRUE(!fs::exists(folder / "runs") || fs::is_empty(folder / "runs"));
}

void expect_train_refused(const Arguments& options, int code, const Arguments& words) {
  const TempFolder folder;
  expect_refused(joined({"train"}, options), code, words, folder.path());
}

TEST(Errors, UnknownNamesAreRefusedWithTheNearest) {
  expect_train_refused(tiny({"--batch-sise", "3"}), usage, {"--batch-sise", "--batch-size"});
  expect_train_refused(tiny({"--set", "label-smothing=0.1"}), usage,
                       {"label-smothing", "label-smoothing"});
  expect_train_refused(tiny({"--model", "cifar_resnet2o"}), usage,
                       {"cifar_resnet2o", "cifar_resnet20"});
  expect_train_refused({"--dataset", "fashion_mnist_"}, usage, {"fashion_mnist_", "fashion-mnist"});
  expect_train_refused({"--config", "dem"}, usage, {"dem", "nearest: demo"});
  expect_train_refused(tiny({"--optimizer", "sdg"}), usage, {"optimizer", "sdg", "sgd"});
  expect_train_refused(tiny({"--lr-schedule", "cosin"}), usage, {"lr-schedule", "cosin", "cosine"});
  expect_train_refused(tiny({"--augment", "flipp"}), usage, {"flipp", "flip"});
  expect_train_refused(tiny({"--isa", "avx3"}), usage, {"isa", "avx3", "avx512"});
  expect_train_refused(tiny({"word"}), usage, {"unexpected word", "word"});
}

TEST(Errors, AKeyOfARecipeIsNamedWithFileAndLine) {
  const TempFolder folder;
  write_bytes(folder / "mine.yml", "# a recipe\nmodel: cifar_resnet8\nbatchsize: 3\n");
  expect_refused({"train", "--config", "mine.yml"}, usage,
                 {"mine.yml:3", "batchsize", "batch-size"}, folder.path());
  write_bytes(folder / "broken.yml", "model: [cifar_resnet8\n");
  expect_refused({"train", "--config", "broken.yml"}, usage, {"broken.yml:"}, folder.path());
}

TEST(Errors, ImpossibleCombinationsAreRefused) {
  for (const auto& [options, words] : std::vector<std::pair<Arguments, Arguments>>{
           {{"--replicas", "2", "--gradient-accumulation-count", "2", "--replica-mode", "together"},
            {"--replica-mode together"}},
           {{"--replicas", "2", "--epoch-tail", "short"}, {"--epoch-tail short"}},
           {{"--global-batch-size", "64", "--replicas", "3"}, {"64", "3 replicas"}},
           {{"--global-batch-size", "64"}, {"--batch-size 16", "64"}},
           {{"--ema-steps", "2"}, {"--ema-steps", "--ema-decay"}},
           {{"--epochs", "0"}, {"nothing to do"}},
           {{"--batch-size", "1000"}, {"larger than the dataset"}},
           {{"--num-classes", "3"}, {"--num-classes 3", "10"}},
           {{"--threads", "-1"}, {"threads", "-1"}},
           {{"--threads", "256", "--pin"}, {"--pin", "256", "--threads"}},
           {{"--lr", "fast"}, {"lr", "fast"}},
           {{"--momentum", "1.5"}, {"momentum", "1.5"}},
           {{"--data-dir", "x"}, {"data-dir does nothing"}},
           {{"--crop-padding", "2"}, {"crop-padding"}},
           {{"--learning-rate-decay", "0.5"}, {"learning-rate-decay"}},
           {{"--dump", "nothing"}, {"--dump", "nothing"}},
           {{"--model", "resnet18_v2", "--zero-init-residual"}, {"--zero-init-residual", "_v2"}},
           {{"--name", "../x"}, {"../x"}}}) {
    expect_train_refused(tiny(options), usage, words);
  }
}

TEST(Errors, APlaceThatCannotBeWrittenIsRefused) {
  const TempFolder folder;
  write_bytes(folder / "file", "");
  expect_refused(joined({"train", "--output", "file/runs"}, tiny()), usage,
                 {"file/runs", "--output"}, folder.path());
  expect_refused(joined({"train", "--output", "/proc/runs"}, tiny()), usage,
                 {"/proc/runs", "--output"}, folder.path());
}

// The formats' own tests try every defect; here it is what the program makes of them.
TEST(Errors, DataThatIsNotThereOrDamagedIsRefused) {
  const TempFolder folder;
  const Arguments train{"train", "--dataset", "fashion-mnist", "--data-dir", "data"};
  const fs::path images = folder / "data/train-images-idx3-ubyte",
                 labels = folder / "data/train-labels-idx1-ubyte";
  expect_refused(train, data, {"data", "try: "}, folder.path());
  fs::create_directory(folder / "data");
  expect_refused(train, data, {"train-images-idx3-ubyte", "try: "}, folder.path());
  const auto restore = [&] {
    test::write_fashion(folder / "data", "train", 20, false);
    test::write_fashion(folder / "data", "t10k", 20, false);
  };
  restore();
  fs::remove(labels);
  expect_refused(train, data, {"train-labels-idx1-ubyte"}, folder.path());
  restore();
  fs::resize_file(images, fs::file_size(images) - 1);
  expect_refused(train, data, {"train-images-idx3-ubyte"}, folder.path());
  restore();
  std::string bytes = read_file(images, Fault::bug);
  bytes[2] = 0x0d;  // doubles
  write_bytes(images, bytes);
  expect_refused(train, data, {"train-images-idx3-ubyte", "magic"}, folder.path());
  restore();
  bytes = read_file(labels, Fault::bug);
  bytes.back() = 10;
  write_bytes(labels, bytes);
  expect_refused(train, data, {"train-labels-idx1-ubyte", "record 19", "label 10"}, folder.path());
  restore();
  fs::remove(folder / "data/t10k-images-idx3-ubyte");
  expect_refused(train, data, {"t10k-images-idx3-ubyte"}, folder.path());
  const Arguments cifar{"train", "--dataset", "cifar-10", "--data-dir", "data"};
  expect_refused(cifar, data, {"data_batch_1.bin"}, folder.path());
  for (int i = 1; i <= 5; ++i) {
    write_bytes(folder / fmt::format("data/data_batch_{}.bin", i), test::cifar_bytes(10, 1, 10));
  }
  write_bytes(folder / "data/test_batch.bin", test::cifar_bytes(10, 1, 10) + "x");
  expect_refused(cifar, data, {"test_batch.bin"}, folder.path());
}

TEST(Errors, WeightsThatDoNotFitAreRefused) {
  const TinyRun run(tiny({"--max-steps", "1"}));
  run.whole();
  const fs::path good = run.dir() / "weights/last.safetensors";
  const auto eval = [&](const std::string& file, const Arguments& more, const Arguments& words) {
    const Finished end =
        test::run_convoy(joined({"eval", "--json", "--checkpoint", file}, more), run.folder());
    expect_one_line(end, checkpoint, words);
    EXPECT_EQ(end.out, "");
  };
  eval("nowhere.safetensors", {}, {"nowhere.safetensors"});
  write_bytes(run.folder() / "text.safetensors", "these are no weights at all");
  eval("text.safetensors", {}, {"text.safetensors"});
  const std::string bytes = read_file(good, Fault::bug);
  write_bytes(run.folder() / "short.safetensors", bytes.substr(0, bytes.size() / 2));
  eval("short.safetensors", {}, {"short.safetensors"});
  eval(good, {"--model", "cifar_resnet20"}, {"last.safetensors", "try: "});
  eval(good, {"--model", "cifar_resnet8_projection"}, {"last.safetensors"});
  eval(good, {"--num-classes", "11"}, {"last.safetensors", "fc."});
  eval("runs", {}, {"runs"});

  const auto init = [&](const std::string& file, const Arguments& words) {
    const Finished end = test::run_convoy(
        joined({"train", "--name", "b", "--init-from", file}, tiny({"--model", "cifar_resnet20"})),
        run.folder());
    expect_one_line(end, checkpoint, words);
    EXPECT_FALSE(fs::exists(run.folder() / "runs/b"));
  };
  init("nowhere.safetensors", {"nowhere.safetensors"});
  init("short.safetensors", {"short.safetensors"});
  init(good, {"last.safetensors"});
}

TEST(Errors, EvalSaysWhatItMisses) {
  const TempFolder folder;
  expect_refused({"eval"}, usage, {"--checkpoint"}, folder.path());
  expect_refused({"eval", "--checkpoint", "x", "--splitt", "train"}, usage, {"--splitt", "split"},
                 folder.path());
}

TEST(Errors, WhatIsNoRunCannotBeResumed) {
  const TempFolder folder;
  fs::create_directory(folder / "empty");
  write_bytes(folder / "file", "");
  for (const char* name : {"empty", "nowhere", "file"}) {
    expect_refused({"resume", name}, checkpoint, {name, "run directory"}, folder.path());
  }
  expect_refused({"resume"}, usage, {"missing RUN_DIR"}, folder.path());
  EXPECT_TRUE(fs::is_empty(folder / "empty"));

  const TinyRun run(tiny({"--max-steps", "1"}));
  run.whole();
  expect_one_line(test::run_convoy({"resume", "runs/a/checkpoints/last"}, run.folder()), checkpoint,
                  {"is not a run directory", "runs/a"});
  expect_one_line(test::run_convoy({"resume", "runs/a", "--lr", "1"}, run.folder()), usage,
                  {"--lr"});
}

TEST(Errors, OneProcessAtATimeWorksInARun) {
  const TinyRun run(tiny({"--epochs", "100000"}));
  Process process(run.train(), run.folder());
  ASSERT_TRUE(process.until([&] { return fs::exists(run.dir() / "metrics.jsonl"); }));
  expect_one_line(test::run_convoy(TinyRun::resume(), run.folder()), usage,
                  {"runs/a is in use by process"});
  process.send(SIGKILL);
  EXPECT_EQ(process.wait().code, 128 + SIGKILL);
}

TEST(Errors, AFullDiskLeavesTheEarlierCheckpointsAndTheRunGoesOnWhenThereIsRoom) {
  const test::SmallDisk disk(4096);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  const Arguments recipe =
      tiny({"--epochs", "2", "--checkpoint-steps", "2", "--checkpoint-keep", "3"});
  const TinyRun whole(recipe);
  whole.whole();
  // Room for two checkpoints of about 600 kB, not for three.
  write_bytes(disk.path() / "filler", std::string(2400 * 1024, 'x'));
  const Finished end =
      test::run_convoy(joined({"train", "--name", "a", "--quiet"}, recipe), disk.path());
  expect_one_line(end, no_space, {"No space left", "try: "});
  const fs::path run = disk.path() / "runs/a";
  const std::vector<int64_t> kept = test::checkpoint_steps(run);
  ASSERT_FALSE(kept.empty());
  for (const int64_t step : kept) {
    const std::string folder = fmt::format("runs/a/checkpoints/step-{:07}", step);
    EXPECT_EQ(test::run_convoy({"info", folder}, disk.path()).code, 0) << folder;
  }
  fs::remove(disk.path() / "filler");
  EXPECT_EQ(test::run_convoy(TinyRun::resume(), disk.path()).code, 0);
  test::expect_equal(test::run_record(run), test::run_record(whole.dir()));
}

}  // namespace
}  // namespace convoy
