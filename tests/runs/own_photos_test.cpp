// A newcomer with a folder of photos: few, unsplit, of any format, some of them lying or grey.

#include <gtest/gtest.h>

#include "data/sources/folder_source.h"
#include "pictures/picture.h"
#include "support/fixture.h"
#include "support/run_files.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::run_convoy;
using test::TempFolder;

// Pictures of two classes, bright and dark, in every format that there is a fixture of.
void write_photos(const fs::path& folder, int each) {
  const std::vector<std::string> kinds{"rgb.bmp",  "lzw.tif", "sixteen_grey.tif", "lossy.webp",
                                       "grey.png", "rgb.jpg", "sixteen_grey.png", "turned.jpg"};
  for (int i = 0; i < each; ++i) {
    const std::string& kind = kinds[static_cast<size_t>(i) % kinds.size()];
    for (const bool bright : {true, false}) {
      const fs::path place = folder / (bright ? "bright" : "dark");
      fs::create_directories(place);
      if (!bright) {
        const int side = 40 + i % 5;
        Pixels black{{0, 0, side, side},
                     std::vector<uint8_t>(static_cast<size_t>(side * side * 4))};
        write_atomically(place / (std::to_string(i) + ".jpg"), encode_jpeg(black, 90), Fault::bug);
        continue;
      }
      fs::copy_file(test::fixture_path("pictures/" + kind),
                    place / (std::to_string(i) + fs::path(kind).extension().string()));
    }
  }
}

const Arguments small{"--model", "cifar_resnet8", "--image-size", "24", "--threads", "2"};

TEST(OwnPhotosRun, AnUnsplitFolderOfAnyFormatsIsTrainedEvaluatedAndResumed) {
  const TempFolder folder;
  write_photos(folder / "photos", 24);
  const Finished done =
      run_convoy(joined({"train", "--data-dir", "photos", "--val-share", "0.25", "--epochs", "3",
                         "--name", "a", "--checkpoint-steps", "2"},
                        small),
                 folder.path());
  ASSERT_EQ(done.code, 0) << done.err;
  // The first lines tell what is not as usual.
  const auto held_out = open_share(folder / "photos", false, 0.25)->size();
  const std::string told = fmt::format("--batch-size 8 for {} training pictures", 48 - held_out);
  EXPECT_NE(done.out.find(told), std::string::npos) << done.out;
  const fs::path run = folder / "runs/a";
  const Json last = test::events(run, "eval").back();
  EXPECT_EQ(last.at("total"), held_out);
  EXPECT_EQ(test::events(run, "run_start").at(0).at("train_samples").get<int64_t>() + held_out, 48);
  // Evaluation knows the share, and its pictures are the same.
  const Finished eval = run_convoy({"eval", "--checkpoint", "runs/a", "--json"}, folder.path());
  ASSERT_EQ(eval.code, 0) << eval.err;
  EXPECT_EQ(Json::parse(eval.out).at("total"), held_out);
  EXPECT_EQ(Json::parse(eval.out).at("correct"), last.at("correct"));
  const Finished said = run_convoy(
      {"predict", "--checkpoint", "runs/a", "--input", "photos/bright", "--json"}, folder.path());
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(test::lines_of(said.out).size(), 24u);
}

TEST(OwnPhotosRun, OneChannelIsTrainedKeptAndExported) {
  const TempFolder folder;
  write_photos(folder / "photos", 16);
  const Arguments grey{
      "train", "--data-dir", "photos", "--val-share",        "0.25", "--name", "grey",
      "-q",    "--epochs",   "2",      "--picture-channels", "1"};
  const Finished done = run_convoy(joined(grey, small), folder.path());
  ASSERT_EQ(done.code, 0) << done.err;
  const fs::path run = folder / "runs/grey";
  EXPECT_EQ(test::events(run, "run_start").at(0).at("image"), "1x24x24");
  const Finished eval = run_convoy({"eval", "--checkpoint", "runs/grey", "--json"}, folder.path());
  ASSERT_EQ(eval.code, 0) << eval.err;
  EXPECT_EQ(Json::parse(eval.out).at("correct"), test::events(run, "eval").back().at("correct"));
  const Finished said = run_convoy({"predict", "--checkpoint", "runs/grey", "--input",
                                    "photos/bright", "--json", "--pixels", "seen.safetensors"},
                                   folder.path());
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(fs::file_size(folder / "seen.safetensors") / (24 * 24 * 4), 16u);  // one channel each
  const Finished onnx =
      run_convoy({"export", "--checkpoint", "runs/grey", "--output", "grey.onnx"}, folder.path());
  EXPECT_EQ(onnx.code, 0) << onnx.err;
  // From these weights, at a tenth of the rate.
  const Finished tuned = run_convoy(
      joined({"train", "--data-dir", "photos", "--val-share", "0.25", "--name", "tuned", "--epochs",
              "1", "--init-from", "runs/grey/weights/last.safetensors", "--picture-channels", "1"},
             small),
      folder.path());
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("--lr 0.000625: 0.01 for weights that were trained"), std::string::npos)
      << tuned.out;
  EXPECT_DOUBLE_EQ(test::events(folder / "runs/tuned", "run_start").at(0).at("lr").get<double>(),
                   0.000625);
}

TEST(OwnPhotosRun, WhatIsWrongWithTheFolderIsSaidAndLeavesNoRun) {
  const TempFolder folder;
  write_photos(folder / "photos", 2);
  const auto refused = [&](const Arguments& typed, std::initializer_list<const char*> words) {
    const Finished end = run_convoy(joined({"train"}, typed), folder.path());
    EXPECT_EQ(end.code, 3) << end.err;
    for (const char* word : words) EXPECT_NE(end.err.find(word), std::string::npos) << end.err;
    EXPECT_FALSE(fs::exists(folder / "runs") && !fs::is_empty(folder / "runs"));
  };
  refused({"--data-dir", "photo"}, {"there is no folder", "photos, the nearest"});
  refused({"--data-dir", "photos"}, {"bright, dark", "--val-share 0.1"});
  refused({"--data-dir", "data/cifar-10"}, {"there is no folder"});
  refused({"--dataset", "imagefolder", "--data-dir", "nope"}, {"there is no folder"});
  fs::remove_all(folder / "photos/dark");
  refused({"--data-dir", "photos", "--val-share", "0.5"}, {"one class (bright)", "for each class"});
}

TEST(OwnPhotosRun, OneBrokenPictureNamesCheckAndMaxBad) {
  const TempFolder folder;
  write_photos(folder / "photos", 8);
  for (int i = 0; i < 8; ++i) {
    write_atomically(folder / "photos/bright" / fmt::format("torn{}.jpg", i),
                     "\xff\xd8\xff\xe0 no picture", Fault::bug);
  }
  const Arguments typed{"train", "--data-dir", "photos", "--val-share", "0.5", "--epochs", "1"};
  const Finished end = run_convoy(joined(typed, small), folder.path());
  EXPECT_EQ(end.code, 3);
  for (const char* word : {"torn", "convoy check", "--max-bad"}) {
    EXPECT_NE(end.err.find(word), std::string::npos) << end.err;
  }
  EXPECT_EQ(run_convoy(joined(joined(typed, small), {"--max-bad", "10"}), folder.path()).code, 0);
}

}  // namespace
}  // namespace convoy
