// Classes go by name, whatever folders a user has: missing ones, renamed ones, others. Each class
// is a colour, which a small network learns in a few steps, so that a permuted label is a wrong
// answer.

#include <gtest/gtest.h>

#include "pictures/picture.h"
#include "support/run_files.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::run_convoy;
using test::TempFolder;

struct Colour {
  const char* name;
  uint8_t red, green, blue;
};
constexpr Colour colours[] = {
    {"blue", 20, 30, 220}, {"green", 30, 200, 40}, {"red", 220, 30, 20}, {"white", 240, 235, 240}};

void write_colours(const fs::path& folder, const Colour& colour, int count) {
  constexpr int64_t side = 40;
  fs::create_directories(folder);
  for (int n = 0; n < count; ++n) {
    Pixels picture{{0, 0, side, side}, {}};
    for (int64_t i = 0; i < side * side; ++i) {
      const auto shade = [&](uint8_t c) {
        return static_cast<uint8_t>((c * 3 + n * 7 + i % 13) / 4);
      };
      picture.bytes.insert(picture.bytes.end(),
                           {shade(colour.red), shade(colour.green), shade(colour.blue), 255});
    }
    write_atomically(folder / (std::to_string(n) + ".jpg"), encode_jpeg(picture, 95), Fault::bug);
  }
}

// A run that has learned the four colours; the folder is fresh for each test.
class ClassNamesRun : public testing::Test {
 protected:
  void SetUp() override {
    for (const Colour& colour : colours) {
      write_colours(here / "photos/train" / colour.name, colour, 12);
      write_colours(here / "photos/val" / colour.name, colour, 4);
    }
    const Finished end =
        run({"train", "--data-dir", "photos", "--model", "cifar_resnet8", "--image-size", "32",
             "--batch-size", "16", "--epochs", "6", "--lr", "0.05", "--name", "a", "--quiet"});
    ASSERT_EQ(end.code, 0) << end.err;
    ASSERT_EQ(test::events(here / "runs/a", "eval").back().at("correct"), 16);
  }

  Finished run(const Arguments& arguments) { return run_convoy(arguments, here.path()); }
  Finished eval(const Arguments& more) {
    return run(joined({"eval", "--checkpoint", "runs/a", "--json"}, more));
  }
  // Every answer right, of this number.
  void expect_right(const Finished& end, int total, const std::string& said = "") {
    ASSERT_EQ(end.code, 0) << end.err;
    const Json numbers = Json::parse(end.out);
    EXPECT_EQ(numbers.at("total"), total);
    EXPECT_EQ(numbers.at("correct"), total) << end.out << end.err;
    EXPECT_NE(end.err.find(said), std::string::npos) << end.err;
  }

  TempFolder here;
};

TEST_F(ClassNamesRun, AValidationFolderWithoutAClassIsEvaluatedByName) {
  write_colours(here / "other/val/green", colours[1], 3);
  write_colours(here / "other/val/white", colours[3], 3);
  expect_right(eval({"--data-dir", "other"}), 6, "blue, red");
  const Finished said =
      run({"predict", "--checkpoint", "runs/a", "--data-dir", "other", "--top", "1", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  for (const std::string& line : test::lines_of(said.out)) {
    const Json one = Json::parse(line);
    const fs::path file = one.at("file").get<std::string>();
    EXPECT_EQ(one.at("top").at(0).at("name"), file.parent_path().filename().string());
    EXPECT_EQ(one.at("top").at(0).at("class"), one.at("label"));
  }
}

TEST_F(ClassNamesRun, ARenamedClassIsRefusedAndAMapMendsIt) {
  fs::remove_all(here / "other");
  for (const Colour& colour : colours) {
    const std::string name = colour.name == std::string("blue") ? "zzz azure" : colour.name;
    write_colours(here / "other/val" / name, colour, 2);
  }
  const Finished refused = eval({"--data-dir", "other"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(test::lines_of(refused.err).size(), 1u) << refused.err;
  EXPECT_NE(refused.err.find("`zzz azure = blue`"), std::string::npos) << refused.err;
  write_atomically(here / "map.txt", "zzz azure = blue\n", Fault::bug);
  expect_right(eval({"--data-dir", "other", "--class-map", "map.txt"}), 8);
}

TEST_F(ClassNamesRun, WeightsWithoutNamesTakeThemFromAFile) {
  // What others' files look like: the tensors alone.
  ASSERT_EQ(run({"export", "--checkpoint", "runs/a", "--output", "plain.safetensors"}).code, 0);
  std::string bytes = read_file(here / "plain.safetensors", Fault::bug);
  const size_t at = bytes.find("convoy.class-names");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 18, "convoy.other-names");
  write_atomically(here / "plain.safetensors", bytes, Fault::bug);
  write_colours(here / "other/val/green", colours[1], 3);
  write_colours(here / "other/val/white", colours[3], 3);
  const Arguments command{"eval",  "--checkpoint", "plain.safetensors", "--data-dir",
                          "other", "--dataset",    "imagefolder",       "--json"};
  const Finished refused = run(command);
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("--class-names FILE"), std::string::npos) << refused.err;
  write_atomically(here / "names.txt", "blue\ngreen\nred\nwhite\n", Fault::bug);
  expect_right(run(joined(command, {"--class-names", "names.txt"})), 6);
}

TEST_F(ClassNamesRun, AResumeAfterARenameGoesOnOnlyWithAMap) {
  const Arguments recipe{"train",
                         "--data-dir",
                         "photos",
                         "--model",
                         "cifar_resnet8",
                         "--image-size",
                         "32",
                         "--batch-size",
                         "16",
                         "--max-steps",
                         "2",
                         "--epochs",
                         "4",
                         "--lr",
                         "0.05",
                         "--checkpoint-steps",
                         "1",
                         "--quiet"};
  ASSERT_EQ(run(joined(recipe, {"--name", "b"})).code, 0);
  const fs::path dir = here / "runs/b";
  fs::remove_all(dir / "checkpoints/step-0000002");
  fs::remove(dir / "weights/last.safetensors");
  fs::resize_file(dir / "metrics.jsonl", fs::file_size(dir / "metrics.jsonl") - 1);
  for (const char* split : {"train", "val"}) {
    fs::rename(here / "photos" / split / "blue", here / "photos" / split / "zzz");
  }
  const Finished refused = run({"resume", "runs/b", "--quiet"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("`zzz = blue`"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("this run"), std::string::npos) << refused.err;
  write_atomically(here / "map.txt", "zzz = blue\n", Fault::bug);
  const Finished resumed = run({"resume", "runs/b", "--quiet", "--class-map", "map.txt"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  const Finished info = run({"info", "runs/b/weights/last.safetensors"});
  EXPECT_NE(info.out.find("blue"), std::string::npos) << info.out;
  EXPECT_EQ(info.out.find("zzz"), std::string::npos) << info.out;
}

TEST_F(ClassNamesRun, FineTuningKeepsTheHeadOfTheSameClassesAndNoOther) {
  const auto start = [&](const char* data, const char* name) {
    return run({"train", "--data-dir", data, "--model", "cifar_resnet8", "--image-size", "32",
                "--batch-size", "16", "--max-steps", "1", "--lr", "0", "--weight-decay", "0",
                "--init-from", "runs/a/weights/last.safetensors", "--name", name});
  };
  // As many classes, but others: the head is new.
  for (const Colour& colour : colours) {
    const std::string name = std::string("light ") + colour.name;
    write_colours(here / "light/train" / name, colour, 6);
    write_colours(here / "light/val" / name, colour, 2);
  }
  const Finished other = start("light", "other");
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_NE(other.out.find("as many classes, but others"), std::string::npos) << other.out;
  // The same: it is kept, and answers as before.
  const Finished same = start("photos", "same");
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.out.find("as many classes, but others"), std::string::npos) << same.out;
}

}  // namespace
}  // namespace convoy
