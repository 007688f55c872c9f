// Names from outside, in every verb that prints them: nothing that a terminal obeys, and no line
// that looks like one of ours.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/show.h"
#include "support/run_files.h"
#include "support/tiny_pictures.h"
#include "support/tiny_sets.h"
#include "weights/safetensors.h"

namespace convoy::test {
namespace {

// Clears the screen, begins a line, turns the direction of writing.
const std::string evil = "a\nconvoy: error: forged\x1b[2J\xe2\x80\xae";
const std::string no_utf8 = "b\xff\x9b\r";

void expect_harmless(const std::string& text, const std::string& where) {
  EXPECT_EQ(plain_text(text), text) << where;
  EXPECT_EQ(text.find('\t'), text.npos) << where;
  for (const std::string& line : lines_of(text)) {
    EXPECT_FALSE(line.starts_with("convoy: error: forged")) << where << ": " << text;
  }
}

class HostileFolder {
 public:
  HostileFolder() {
    int number = 0;
    for (const char* split : {"train", "val"}) {
      for (const std::string& label : {evil, std::string("dog")}) {
        for (int i = 0; i < 4; ++i) {
          put(fmt::format("data/{}/{}/{}{}.jpg", split, label, i, i % 2 ? evil : ""),
              tiny_jpeg(number++));
        }
      }
    }
    put("data/" + evil, "a name without a picture");
    put("configs/" + evil + ".yml", "model: resnet18\ndataset: generated\nepochs: 3\n");
    put("configs/sound.yml",
        "model: \""
        "a\\nb\\e[2J"
        "\"\n");
  }
  void put(const std::string& path, const std::string& bytes) const {
    fs::create_directories((root_ / path).parent_path());
    write_bytes(root_ / path, bytes);
  }
  // Must leave with this code, and print the name in its harmless form where `names` says so.
  Finished run(int code, const Arguments& arguments, bool names = true) const {
    const Finished end = run_convoy(arguments, root_.path());
    const std::string where = one_line(testing::PrintToString(arguments));
    EXPECT_EQ(end.code, code) << where << end.out << end.err;
    expect_harmless(end.out, where);
    expect_harmless(end.err, where);
    const std::string all = end.out + end.err;
    const bool is_named = all.find("\\nconvoy: error: forged") != all.npos;
    EXPECT_TRUE(is_named || !names) << where << all;
    return end;
  }
  const fs::path& path() const { return root_.path(); }

 private:
  TempFolder root_;
};

const Arguments small{
    "--data-dir",   "data", "--dataset",    "imagefolder", "--model",   "cifar_resnet8",
    "--image-size", "8",    "--batch-size", "4",           "--threads", "1"};

TEST(HostileNamesRun, AreShownHarmlesslyByEveryVerb) {
  const HostileFolder folder;
  folder.run(0, joined({"train", "--name", "a", "--epochs", "1"}, small), false);
  folder.run(0, {"info", "runs/a/weights/best.safetensors"});
  folder.run(0, {"info", "runs/a/checkpoints/last"}, false);
  folder.run(0, {"eval", "--checkpoint", "runs/a", "--data-dir", "data"}, false);
  folder.run(0, {"predict", "--checkpoint", "runs/a", "--data-dir", "data"});
  folder.run(0, {"predict", "--checkpoint", "runs/a", "--data-dir", "data", "--json"});
  folder.run(0, {"predict", "--checkpoint", "runs/a", "--input", "data/val"});
  folder.run(0, {"check", "data"});
  folder.run(0, {"check", "data", "--json"});
  folder.run(0, {"list", "recipes"});
  folder.run(2, {"plan", "--config", "sound"}, false);
  folder.run(2, {"plan", "--config", evil + "x"});
  folder.run(2, {evil});
  folder.run(2, {"train", "--" + evil});
  folder.run(3, {"eval", "--checkpoint", "runs/a", "--data-dir", evil}, false);
  folder.run(0, {"prepare", "folder", "--input", "data", "--output", evil});
  folder.run(0, {"prepare", "pack", "--input", "data", "--output", "packed"}, false);
  folder.run(
      0, {"launch", "-np", "1", "--", "predict", "--checkpoint", "runs/a", "--data-dir", "data"});
}

TEST(HostileNamesRun, BrokenPicturesAreNamedHarmlessly) {
  const HostileFolder folder;
  folder.put("data/train/dog/" + evil + no_utf8 + ".jpg", "no picture");
  folder.put("data/val/dog/" + evil + no_utf8 + ".jpg", "no picture");
  folder.run(3, joined({"train", "--epochs", "1"}, small));
  folder.run(0, joined({"train", "--name", "a", "--epochs", "1", "--max-bad", "2"}, small));
  folder.run(0, joined({"train", "--quiet", "--epochs", "1", "--max-bad", "2"}, small));
  folder.run(0, {"eval", "--checkpoint", "runs/a", "--data-dir", "data", "--max-bad", "2"});
  folder.run(3, {"predict", "--checkpoint", "runs/a", "--input", "data/val"});
  folder.run(3, {"predict", "--checkpoint", "runs/a", "--input", "data/val", "--json"});
  folder.run(3, {"check", "data"});
  folder.run(3, {"check", "data", "--json"});
  folder.run(3, {"prepare", "folder", "--input", "data", "--output", "out"});
  folder.run(0, {"prepare", "folder", "--input", "data", "--output", "out", "--max-bad", "2"});
}

TEST(HostileNamesRun, MetadataOfWeightsIsShownHarmlessly) {
  const HostileFolder folder;
  const float value = 1;
  const std::vector<TensorEntry> tensors{
      {evil, DType::f32, {1}, std::as_bytes(std::span(&value, 1))}};
  write_safetensors(folder.path() / "evil.safetensors", tensors, {{evil, evil}, {"format", "pt"}});
  folder.run(0, {"info", "evil.safetensors"});
  folder.run(0, {"info", "evil.safetensors", "--tensors"});
  folder.run(4, {"eval", "--checkpoint", "evil.safetensors", "--model", "cifar_resnet8",
                 "--dataset", "generated"});
  fs::rename(folder.path() / "evil.safetensors", folder.path() / (evil + ".safetensors"));
  folder.run(0, {"info", evil + ".safetensors"});
}

// A pipe in place of a file: refused at once, with the code of whose file it is.
TEST(HostileNamesRun, PipesAreNotWaitedFor) {
  const HostileFolder folder;
  const auto pipe = [&](const std::string& path) {
    ASSERT_EQ(::mkfifo((folder.path() / path).c_str(), 0600), 0);
  };
  pipe("pipe.yml");
  const auto refused = [&](int code, const Arguments& arguments) {
    const Finished end = folder.run(code, arguments, false);
    EXPECT_NE(end.err.find("it is a pipe"), end.err.npos) << end.err;
  };
  refused(2, {"train", "--config", "pipe.yml"});
  refused(2, {"launch", "--hostfile", "pipe.yml", "--", "train"});
  folder.run(0, joined({"train", "--name", "a", "--epochs", "1"}, small), false);
  pipe("data/val/dog/pipe.jpg");
  refused(3, joined({"train", "--epochs", "1"}, small));
  refused(3, {"predict", "--checkpoint", "runs/a", "--input", "data/val/dog/pipe.jpg"});
  for (const char* file : {"state.json", "model.safetensors"}) {
    const fs::path checkpoint = folder.path() / "runs/a/checkpoints/last";
    fs::remove(checkpoint / file);
    pipe(std::string("runs/a/checkpoints/last/") + file);
    folder.run(4, {"eval", "--checkpoint", "runs/a", "--data-dir", "data"}, false);
    folder.run(4, {"info", "runs/a/checkpoints/last"}, false);
  }
}

}  // namespace
}  // namespace convoy::test
