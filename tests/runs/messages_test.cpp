// What people mistype, over all verbs: each is one line that says what is wrong, where, and what to
// try, with the exit code of who must act. Every row is a command as it stands in a shell.

#include <gtest/gtest.h>

#include <fstream>

#include "base/text/text.h"
#include "config/shell.h"
#include "support/places.h"
#include "support/run_files.h"
#include "support/tiny_pictures.h"

namespace convoy::test {
namespace {

struct Row {
  const char* typed;
  int code;
  const char* phrase;
};

// A folder as it is after some work: a finished run, its ONNX file, pictures, a split of them, and
// files that are none of what they are taken for.
class Messages : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    run_ = std::make_unique<TinyRun>(tiny({"--max-steps", "2"}));
    run_->whole();
    const fs::path& folder = run_->folder();
    fs::create_directories(folder / "empty");
    int number = 0;
    for (const char* flower : {"rose", "tulip"}) {
      fs::create_directories(folder / "flowers" / flower);
      for (int i = 0; i < 4; ++i) {
        write("flowers/" + std::string(flower) + "/" + std::to_string(i) + ".png",
              tiny_png(number++));
      }
    }
    write("full/x", "x");
    write("junk.txt", "hello\n");
    write("broken.safetensors", "\xff\xff\xff\xff\xff\xff\xff\x7f{}");
    write("nested.yml", "model: {a: 1}\n");
    write("gpus.yml", "model: cifar_resnet8\nnum_gpus: 8\n");
    for (const char* made : {"prepare folder --input flowers --output split --val-share 0.5",
                             "export --checkpoint runs/a --output x.onnx"}) {
      const Finished end = run(made);
      EXPECT_EQ(end.code, 0) << end.err;
    }
  }
  static void TearDownTestSuite() { run_.reset(); }

  static Finished run(const std::string& typed) {
    return run_convoy(split(typed, ' '), run_->folder());
  }

  // None leaves anything behind.
  static void expect(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      const Finished end = run(row.typed);
      EXPECT_EQ(end.code, row.code) << row.typed << "\n" << end.err;
      EXPECT_EQ(lines_of(end.err).size(), 1u) << row.typed << "\n" << end.err;
      EXPECT_TRUE(end.err.starts_with("convoy: error: ")) << row.typed << "\n" << end.err;
      EXPECT_NE(end.err.find(row.phrase), std::string::npos)
          << row.typed << "\nlacks '" << row.phrase << "': " << end.err;
      const bool says_what_to_do = end.err.find("try: ") != std::string::npos ||
                                   end.err.find("nearest: ") != std::string::npos ||
                                   end.err.find("did you mean") != std::string::npos ||
                                   end.err.find("(command line) is not ") != std::string::npos;
      EXPECT_TRUE(says_what_to_do) << row.typed << "\n" << end.err;
      EXPECT_EQ(end.err.find(".tmp"), std::string::npos) << end.err;
    }
    std::vector<std::string> runs;
    for (const auto& entry : fs::directory_iterator(run_->folder() / "runs")) {
      runs.push_back(entry.path().filename());
    }
    EXPECT_EQ(runs, std::vector<std::string>{"a"});
    EXPECT_FALSE(fs::exists(run_->folder() / "out/train"));
  }

  static void write(const std::string& name, const std::string& bytes) {
    const fs::path path = run_->folder() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }

  static inline std::unique_ptr<TinyRun> run_;
};

TEST_F(Messages, OptionsOfOtherProgramsSayWhatToTypeHere) {
  expect({
      {"train --device cuda", 2, "--device: in other programs it chooses a device, and Convoy"},
      {"train --no-cuda", 2, "Convoy always computes on the CPU"},
      {"train --gpus 2", 2, "try: without it (--threads N"},
      {"train --fp16", 2, "it asks for 16-bit storage; try: --precision 16.32"},
      {"train --data flowers", 2, "try: --data-dir DIR"},
      {"train --arch resnet50", 2, "try: --model NAME"},
      {"train --pretrained", 2, "nothing is downloaded; try: --init-from FILE"},
      {"train --resume runs/a", 2, "try: convoy resume RUN_DIR"},
      {"train --num-workers 4", 2, "try: --workers N"},
      {"train --workers -1", 2, "workers \"-1\" (command line) is not between 0 and 1024"},
      {"train --lr-step-size 30", 2, "or --lr-schedule step"},
      {"train --config gpus.yml", 2, "unknown key num-gpus (gpus.yml:2): in other programs it"},
      {"eval --checkpoint runs/a --device cuda", 2, "computes on the CPU; try: without it"},
      {"launch -np 2 -- train --device cuda", 2, "--device: in other programs"},
      {"resume runs/a --lr 0.1", 2, "resume has no such option, only other verbs have it"},
  });
}

TEST_F(Messages, AWordThatIsNoOptionNamesTheOption) {
  expect({
      {"train flowers", 2, "try: --data-dir flowers"},
      {"train runs/a", 2, "try: --init-from runs/a"},
      {"train resnet50", 2, "try: --model resnet50"},
      {"train cifar10/resnet20", 2, "try: --config cifar10/resnet20"},
      {"eval runs/a", 2, "try: --checkpoint runs/a"},
      {"predict runs/a", 2, "try: --checkpoint runs/a"},
      {"predict --checkpoint runs/a photo.jpg", 2, "try: --input photo.jpg"},
      {"export runs/a", 2, "try: --checkpoint runs/a"},
      {"plan resnet50", 2, "try: --model resnet50"},
      {"lr-find flowers", 2, "try: --data-dir flowers"},
      {"bench convz", 2, "there is no bench convz; nearest: bench convs"},
      {"resume runs/a extra", 2, "unexpected word \"extra\"; try: without it"},
  });
}

TEST_F(Messages, ValuesAndNamesOfTraining) {
  expect({
      {"train --model resnet5O", 2, "resnet50"},
      {"train --config mk2_resnet50_mlperf_pod61", 2, "nearest: graphcore/mk2_resnet50_mlperf_pod"},
      {"train --config nonsense", 2, "that `convoy list recipes` shows"},
      {"train --config nested.yml", 2, "nested.yml:1: model: has keys of its own"},
      {"train --config junk.txt", 2, "junk.txt:1: not a map"},
      {"train --epochs ten", 2, "epochs \"ten\" (command line) is not a number"},
      {"train --batch-size 0", 2, "is not at least 1"},
      {"train --lr", 2, "option --lr needs a value (number), but nothing follows; try: --lr=VALUE"},
      {"train --set epochs", 2, "try: --set epochs=3"},
      {"train --set nokey=1", 2, "unknown option --set nokey; try: --help all"},
      {"train --zzzzzzzz", 2, "unknown option --zzzzzzzz; try: --help all"},
      {"train --help nonsense", 2,
       "no section or option nonsense; try: convoy train --help options|model|"},
      {"train --init-from nowhere.pth", 4, "cannot read nowhere.pth"},
      {"train --init-from junk.txt", 4, "no weights file of a known format"},
      {"train --init-from empty", 4, "neither a run directory nor"},
      {"train --init-from x.onnx", 4, "that this ONNX file was made from"},
      {"train --data-dir flowerz", 3, "flowers, the nearest that is there"},
      {"train --data-dir flowerz/rose/", 3, "flowers/rose, the nearest that is there"},
      {"train --dataset cifar-10 --data-dir empty", 3, "there is no data_batch_1.bin"},
      {"train --dataset generated --memory 1M", 6, "needs"},
      {"train --dataset generated --name a/b", 2, "is no folder name"},
  });
}

TEST_F(Messages, VerbsThatUseWeights) {
  expect({
      {"resume", 2, "missing RUN_DIR"},
      {"resume nowhere", 4, "no run directory nowhere"},
      {"resume runs/a --epochs 99", 2, "has ended at step 2, its --max-steps"},
      {"resume empty", 4, "not a run directory"},
      {"eval", 2, "eval needs --checkpoint FILE|RUN_DIR"},
      {"eval --checkpoint nowhere", 4, "there is no nowhere; try: a file of weights"},
      {"eval --checkpoint empty", 4, "neither a checkpoint nor a run directory"},
      {"eval --checkpoint x.onnx", 4, "that this ONNX file was made from"},
      {"eval --checkpoint broken.safetensors", 4, "not a sound safetensors file"},
      {"eval --checkpoint runs/a --weights ema", 4, "try: --weights model"},
      {"eval --checkpoint runs/a --model cifar_resnet14", 4, "try: --model cifar_resnet8"},
      {"predict", 2, "predict needs --checkpoint"},
      {"predict --checkpoint runs/a --input junk.txt", 3,
       "neither a picture nor a file of tensors"},
      {"predict --checkpoint runs/a --input empty", 3, "there is no picture in empty; try:"},
      {"predict --checkpoint runs/a --input gone.jpg", 3, "there is no gone.jpg"},
      {"predict --checkpoint runs/a --input flowers/rose/0.png --class-names junk.txt", 2,
       "--class-names junk.txt has 1 name, and the network 10 classes; try: one name a line"},
      {"predict --checkpoint runs/a --output no/x.jsonl", 2, "there is no folder no; try: make it"},
      {"predict --checkpoint runs/a --logits x.txt", 2, "is no .safetensors file"},
      {"export --checkpoint runs/a", 2, "export needs --output"},
      {"export --checkpoint runs/a --output no/y.onnx", 2, "no/y.onnx: there is no folder no"},
      {"export --checkpoint runs/a --output x.bin", 2, "neither ONNX nor safetensors"},
      {"average", 2, "missing RUN_DIR or FILE"},
      {"average nowhere", 4, "there is no nowhere"},
      {"average runs/a -N 99", 2, "try: smaller numbers"},
      {"average runs/a --mode median", 2, "nearest: mean"},
      {"average runs/a --weights ema", 4, "kept no moving average; try: --weights model"},
      {"average runs/a --output no/x.safetensors", 2, "there is no folder no; try: make it"},
  });
}

TEST_F(Messages, DataAndOtherVerbs) {
  expect({
      {"prepare", 2, "missing boxes|coco|folder|imagenet|pack"},
      {"prepare tiny", 2, "boxes, coco, folder, imagenet, pack, shapes, not tiny"},
      {"prepare imagenet --input flowers --output out", 3, "prepare folder --val-share 0.1"},
      {"prepare folder --input nowhere --output out", 3, "there is no folder nowhere"},
      {"prepare folder --input empty --output out", 3, "empty is an empty folder"},
      {"prepare folder --input flowers --output split --val-share 0.25", 2,
       "by `prepare folder --input flowers --val-share 0.5`, and this is `prepare folder --input "
       "flowers --val-share 0.25`; try: another --output"},
      {"prepare folder --input flowers --output full --val-share 0.5", 2, "holds other files"},
      {"prepare pack --input nowhere --output out", 3, "there is no folder nowhere"},
      {"prepare pack --input flowers", 2, "needs --input DIR and --output DIR"},
      {"check", 2, "missing DIR"},
      {"check nowhere", 3, "there is no folder nowhere; try: "},
      {"check junk.txt", 3, "junk.txt is a file and no folder; try: the folder it is in"},
      {"check empty", 3, "empty is empty; try: the folder that holds train and val, or the"},
      {"check flowers --manifest no/list.tsv", 2, "there is no folder no"},
      {"launch -np 2", 2, "no verb to launch"},
      {"launch -np 2 -- fly", 2, "fly is no verb to launch"},
      {"launch -np two -- train", 2, "num-instances \"two\""},
      {"launch -np 2 -H n1:1 -- train", 2, "2 instances, but n1:1 has 1 slot; try: "},
      {"plan --replicas 2 --processes 3", 2, "3 processes cannot share 2 replicas; try: "},
      {"launch --host-file nowhere -- train", 2, "cannot read nowhere"},
      {"plan --model resnet152 --batch-size 100000", 6, "the largest --batch-size that fits"},
      {"plan --model resnet50 --curve x.gif", 2, "neither a .png nor a .csv file"},
      {"bench --model nonsense", 2, "try: convoy list models"},
      {"bench --steps 0", 2, "steps \"0\" (command line) is not at least 1"},
      {"bench convs --shapes nowhere.txt", 2, "neither a list nor a file"},
      {"lr-find --dataset generated --min-lr 1 --max-lr 0.1", 2, "is not below --max-lr"},
      {"list", 2, "try: convoy list models|datasets"},
      {"list model", 2, "nearest: models"},
      {"list recipes nonsense", 2, "recipes is called nonsense; try: convoy list recipes"},
      {"list models resnet5O", 2, "nearest: resnet50"},
      {"info nowhere/x", 2, "there is no nowhere/x; try: a weights file"},
      {"info gone.safetensors", 2, "there is no gone.safetensors"},
      {"info resnet5O", 2, "resnet50"},
      {"info runs/a x.onnx", 2, "one thing at a time"},
      {"info junk.txt", 4, "no weights file of a known format"},
      {"info empty", 4, "not a run directory"},
      {"completion", 2, "missing SHELL"},
      {"completion tcsh", 2, "one of bash, zsh, fish"},
      {"completion --shell bash", 2, "there are no options here"},
      {"trian", 2, "nearest: train"},
      {"help fly", 2, "unknown verb fly"},
  });
}

// What the system refuses is told as it is, and not as a mistake in what was typed.
TEST_F(Messages, WhatTheSystemRefuses) {
  const TempFolder folder;
  const auto refused = [&](const Arguments& typed, const char* phrase, const char* no_phrase) {
    const Finished end = run_convoy(typed, folder.path());
    EXPECT_EQ(end.code, 2) << end.err;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, phrase, end.err);
    EXPECT_PRED_FORMAT2(testing::IsNotSubstring, no_phrase, end.err);
  };
  // No lock can be had, as in the folder of another user; `resume` has no --output.
  fs::copy(run_->dir(), folder / "a", fs::copy_options::recursive);
  fs::remove(folder / "a/.lock");
  fs::create_directory(folder / "a/.lock");
  refused({"resume", "a", "--epochs", "99"}, "try: as a user who may write there", "--output");
  // An --output whose place cannot be found out lies in no --input.
  fs::create_symlink("loop", folder / "loop");
  refused({"prepare", "folder", "--input", (run_->folder() / "flowers").string(), "--output",
           "loop/out", "--val-share", "0.5"},
          "loop/out", "lie in each other");
}

// A program that was copied away from its folder has no recipes, and says where they belong.
TEST_F(Messages, AProgramWithoutItsRecipesSaysSo) {
  const TempFolder folder;
  fs::copy_file(convoy_program(), folder / "convoy");
  for (const char* typed : {" list recipes", " train --config cifar10/resnet20"}) {
    const ShellResult end =
        shell("cd " + folder.path().string() + " && ./convoy" + typed + " 2>&1");
    EXPECT_EQ(end.code, 2) << end.output;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "no recipes", end.output);
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "folder configs", end.output);
  }
}

// Of what `train` refuses, `check` says so as well.
TEST_F(Messages, CheckTellsWhatTrainingNeedsBesidesSoundPictures) {
  fs::create_directories(run_->folder() / "one");
  fs::copy(run_->folder() / "flowers/rose", run_->folder() / "one/rose",
           fs::copy_options::recursive);
  for (const char* typed : {"check flowers/rose", "check one"}) {
    const Finished end = run(typed);
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "training takes two classes", end.out);
  }
  EXPECT_PRED_FORMAT2(testing::IsNotSubstring, "training takes", run("check flowers").out);
}

// `prepare folder` copies and does not decode, so that it cannot say that pictures are sound.
TEST_F(Messages, WhatIsOnlyCopiedIsNotCalledSound) {
  const Finished end = run("prepare folder --input flowers --output copied --val-share 0.5");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_PRED_FORMAT2(testing::IsNotSubstring, "sound", end.out);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "`convoy check copied` decodes them", end.out);
}

// A run whose checkpoints were removed, or that never had one, does not start again silently.
TEST_F(Messages, AResumeWithoutACheckpointSaysThatItStartsAgain) {
  const TempFolder folder;
  const Finished fresh =
      run_convoy(joined({"train", "--name", "b"}, tiny({"--epochs", "1"})), folder.path());
  ASSERT_EQ(fresh.code, 0) << fresh.err;
  EXPECT_PRED_FORMAT2(testing::IsNotSubstring, "Resumed", fresh.out + fresh.err);
  fs::remove_all(folder / "runs/b/checkpoints");
  const Finished end = run_convoy({"resume", "runs/b", "--epochs", "2"}, folder.path());
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "there is no checkpoint, so from the start",
                      end.out + end.err);
}

// A folder without splits has no folder train, so that its files are not named below one.
TEST_F(Messages, PicturesThatAreGoneAreNamedAsTheyLie) {
  const TempFolder folder;
  fs::copy(run_->folder() / "flowers", folder / "flowers", fs::copy_options::recursive);
  const Finished begun = run_convoy(
      {"train", "--data-dir", "flowers", "--val-share", "0.5", "--model", "cifar_resnet8",
       "--image-size", "8", "--epochs", "1", "--name", "c", "--batch-size", "2"},
      folder.path());
  ASSERT_EQ(begun.code, 0) << begun.err;
  fs::remove(folder / "flowers/rose/0.png");
  const Finished end = run_convoy({"resume", "runs/c", "--epochs", "2"}, folder.path());
  EXPECT_EQ(end.code, 3) << end.err;
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "1 of the 8 pictures of this run is gone in ", end.err);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, " (rose/0.png); try: ", end.err);
}

TEST_F(Messages, WhatIsFoundIsTold) {
  const auto says = [](const std::string& typed, const std::vector<std::string>& parts) {
    const Finished end = run(typed);
    EXPECT_EQ(end.code, 0) << typed << "\n" << end.err;
    for (const std::string& part : parts) {
      EXPECT_NE(end.out.find(part), std::string::npos) << typed << "\n" << end.out;
    }
    return end.out;
  };
  says("list recipes resnet50", {"imagenet/resnet50", "graphcore/mk2_resnet50_mlperf_pod16"});
  says("list models wide_resnet", {"wide_resnet50_2"});
  says("info x.onnx", {"Conv ", "image [N, 3, 8, 8]", "convoy.option.model",
                       "x.onnx: ONNX, operator set 13, written by convoy"});
  const std::string told = says("info runs/a", {"finished at step 2", "convoy eval --checkpoint",
                                                "convoy predict --checkpoint runs/a --input",
                                                "convoy export --checkpoint runs/a --output"});
  EXPECT_EQ(told.find("resume"), std::string::npos) << told;
  const std::string checked = says("check split", {});
  EXPECT_EQ(checked.find("prepare.json"), std::string::npos) << checked;
  says("plan --config mk2_resnet8_test --json", {"\"model\""});
}

}  // namespace
}  // namespace convoy::test
