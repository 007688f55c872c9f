// Training on files: real pictures of clothing (Fashion-MNIST) as JPEGs in folders.

#include <gtest/gtest.h>
#include <signal.h>

#include "data/dataset.h"
#include "pictures/picture.h"
#include "support/run_files.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::run_convoy;
using test::TempFolder;

// The first pictures of a split, enlarged so that there is something to crop.
void write_pictures(const fs::path& folder, bool train, int64_t count) {
  const auto set = open_dataset("fashion-mnist", {.data_dir = {}, .train = train});
  constexpr int64_t side = 28, scale = 2;
  std::vector<uint8_t> pixels(side * side);
  for (int64_t n = 0; n < count; ++n) {
    int32_t label = 0;
    test::read_labelled(*set, n, 0, pixels.data(), label);
    Pixels large{{0, 0, side * scale, side * scale}, {}};
    for (int64_t y = 0; y < side * scale; ++y) {
      for (int64_t x = 0; x < side * scale; ++x) {
        const uint8_t grey = pixels[static_cast<size_t>(y / scale * side + x / scale)];
        large.bytes.insert(large.bytes.end(), {grey, grey, grey, 255});
      }
    }
    const fs::path place = folder / (train ? "train" : "val") / std::to_string(label);
    fs::create_directories(place);
    write_atomically(place / (std::to_string(n) + ".jpg"), encode_jpeg(large, 90), Fault::bug);
  }
}

const Arguments recipe{"--model", "cifar_resnet8", "--image-size", "28",    "--batch-size", "32",
                       "--lr",    "0.1",           "--crop-area",  "0.5,1", "--threads",    "2",
                       "--quiet"};

Finished train(const fs::path& folder, const Arguments& more) {
  return run_convoy(joined(joined({"train", "--data-dir", "files"}, recipe), more), folder);
}

TEST(PicturesRun, LearnsFromFilesAndIsRightAboutOthers) {
  const TempFolder folder;
  write_pictures(folder / "files", true, 1500);
  write_pictures(folder / "files", false, 400);
  const Finished done = train(folder.path(), {"--epochs", "8", "--name", "a"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Json last = test::events(folder / "runs/a", "eval").back();
  EXPECT_EQ(last.at("total"), 400);
  EXPECT_GT(last.at("top1").get<double>(), 65);  // chance is 10
  // Stand-alone evaluation knows from the weights how pictures are made images.
  const Finished eval = run_convoy(
      {"eval", "--checkpoint", "runs/a", "--data-dir", "files", "--json"}, folder.path());
  ASSERT_EQ(eval.code, 0) << eval.err;
  EXPECT_EQ(Json::parse(eval.out).at("correct"), last.at("correct"));
  // So does predict, picture by picture; what cannot be read is named and costs nothing else.
  write_atomically(folder / "files/val/broken.jpg", "\xff\xd8\xff\xe0 not a picture", Fault::bug);
  const Finished said =
      run_convoy({"predict", "--checkpoint", "runs/a", "--input", "files/val", "--top", "1",
                  "--json", "--pixels", "seen.safetensors", "--draw", "seen"},
                 folder.path());
  EXPECT_EQ(said.code, 3);
  EXPECT_NE(said.err.find("broken.jpg"), std::string::npos) << said.err;
  int right = 0, lines = 0;
  for (const std::string& line : test::lines_of(said.out)) {
    const Json one = Json::parse(line);
    const fs::path file = one.at("file").get<std::string>();
    right += one.at("top").at(0).at("name") == file.parent_path().filename().string();
    ++lines;
  }
  EXPECT_EQ(lines, 400);
  EXPECT_EQ(right, last.at("correct"));
  int drawn = 0;
  for (const auto& entry : fs::directory_iterator(folder / "seen")) {
    drawn += looks_like_picture(read_file(entry.path(), Fault::bug));
  }
  EXPECT_EQ(drawn, 400);
  EXPECT_EQ(fs::file_size(folder / "seen.safetensors") / (3 * 28 * 28 * 4), 400);
}

TEST(PicturesRun, InterruptedAndResumedIsTheSameRun) {
  const TempFolder folder;
  write_pictures(folder / "files", true, 320);
  write_pictures(folder / "files", false, 60);
  write_atomically(folder / "files/train/3/broken.jpg", "\xff\xd8\xff\xe0 no picture", Fault::bug);
  const Arguments more{"--epochs", "3", "--max-bad", "2", "--checkpoint-steps", "4"};
  ASSERT_EQ(train(folder.path(), joined(more, {"--name", "whole"})).code, 0);
  const fs::path whole = folder / "runs/whole", cut = folder / "runs/cut";
  // Each epoch meets the broken one, or its neighbours do: it is told each time.
  EXPECT_EQ(test::events(whole, "bad_sample").size(), 3u);
  EXPECT_NE(test::events(whole, "bad_sample").at(0).at("reason").dump().find("broken.jpg"),
            std::string::npos);
  test::Process process(joined(joined({"train", "--data-dir", "files", "--workers", "3"}, recipe),
                               joined(more, {"--name", "cut"})),
                        folder.path());
  ASSERT_TRUE(process.until([&] { return !test::checkpoint_steps(cut).empty(); }));
  process.send(SIGKILL);
  process.wait();
  ASSERT_EQ(run_convoy({"resume", "runs/cut", "--quiet"}, folder.path()).code, 0);
  EXPECT_EQ(test::weights_hash_of(cut), test::weights_hash_of(whole));
  EXPECT_EQ(test::comparable_events(cut), test::comparable_events(whole));
  // One more than is allowed ends the run, and names the file.
  const Finished refused = train(folder.path(), {"--epochs", "1", "--name", "strict"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("broken.jpg"), std::string::npos) << refused.err;
}

TEST(PicturesRun, PicturesTravelAsBytesWithTheSameResult) {
  const TempFolder folder;
  write_pictures(folder / "files", true, 160);
  write_pictures(folder / "files", false, 50);
  write_atomically(folder / "files/train/3/broken.jpg", "\xff\xd8\xff\xe0 no picture", Fault::bug);
  write_atomically(folder / "files/val/3/broken.jpg", "\xff\xd8\xff\xe0 no picture", Fault::bug);
  const Arguments more{"--epochs", "2", "--max-bad", "2", "--augment", "flip"};
  ASSERT_EQ(train(folder.path(), joined(more, {"--name", "floats"})).code, 0);
  ASSERT_EQ(train(folder.path(), joined(more, {"--name", "bytes", "--eight-bit-io"})).code, 0);
  const fs::path floats = folder / "runs/floats", bytes = folder / "runs/bytes";
  EXPECT_EQ(test::weights_hash_of(bytes), test::weights_hash_of(floats));
  for (const char* kind : {"train", "eval", "bad_sample"}) {
    EXPECT_FALSE(test::events(floats, kind).empty()) << kind;
    EXPECT_EQ(test::comparable_events(bytes, kind), test::comparable_events(floats, kind));
  }
}

}  // namespace
}  // namespace convoy
