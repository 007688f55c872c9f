// A small detector in whole runs on drawn shapes: every verb, mosaics, fitted default boxes, and
// what a detector's run leaves behind.

#include <gtest/gtest.h>

#include "data/shapes/shapes_folder.h"
#include "pictures/picture.h"
#include "support/event_files.h"
#include "support/processes.h"

namespace convoy::test {
namespace {

// 24 pictures to train on and 6 for the evaluation.
void write_few_shapes(const fs::path& folder) {
  ThreadPool pool(2);
  write_shapes(folder, {.train = 24, .val = 6, .side = 64, .seed = 3}, pool);
}

const char* fitted = "0.1x0.12+0.2x0.15,0.3x0.25,0.4x0.5+0.6x0.6";

// Two replicas of 3 on images of 64 pixels with other default boxes than the model's own: 2 epochs
// of 4 steps, mosaics in the first.
Arguments recipe(const Arguments& more = {}) {
  return joined({"--config",
                 "detection/shapes",
                 "--image-size",
                 "64",
                 "--default-boxes",
                 fitted,
                 "--batch-size",
                 "3",
                 "--replicas",
                 "2",
                 "--epochs",
                 "2",
                 "--warmup-epochs",
                 "0",
                 "--mosaic",
                 "0.6",
                 "--mosaic-off-epochs",
                 "1",
                 "--crop",
                 "ssd-crop",
                 "--augment",
                 "flip,ssd-jitter",
                 "--checkpoint-steps",
                 "3",
                 "--checkpoint-keep",
                 "10",
                 "--log-steps",
                 "1"},
                more);
}

struct SetRun : ProcessesRun {
  explicit SetRun(const TempFolder& data, int processes, Arguments more = {})
      : ProcessesRun(processes, recipe(joined({"--data-dir", (data / "set").string()}, more))) {}
};

TEST(SmallDetectorRun, ProcessesAndAResumeChangeNoDigit) {
  const TempFolder data;
  write_few_shapes(data / "set");
  const SetRun alone(data, 0), two(data, 2);
  EXPECT_EQ(two.hash(), alone.hash());
  EXPECT_EQ(two.numbers(), alone.numbers());
  two.forget_after(3);
  EXPECT_EQ(two.resume(2).code, 0);
  EXPECT_EQ(two.hash(), alone.hash());
  EXPECT_EQ(two.numbers(), alone.numbers());
  // Mosaics take part, unless they are off in all epochs.
  EXPECT_NE(SetRun(data, 0, {"--mosaic-off-epochs", "2"}).hash(), alone.hash());
  // A line for each epoch, also after the resume; times aside.
  const auto without_times = [](const ProcessesRun& run) {
    std::vector<std::string> fields;
    for (const std::string& line : lines_of(read_file(run.dir / "results.csv", Fault::data))) {
      fields.push_back(line.substr(0, line.find(',')));
      fields.push_back(line.substr(line.find(',', line.find(',') + 1)));
    }
    return fields;
  };
  EXPECT_EQ(without_times(alone).size(), 6u);
  EXPECT_EQ(without_times(two), without_times(alone));
}

TEST(SmallDetectorRun, EveryVerbKnowsTheDefaultBoxesOfTheWeights) {
  const TempFolder data;
  write_few_shapes(data / "set");
  const SetRun run(data, 0);
  const auto verb = [&](const Arguments& arguments) {
    Finished end = run_convoy(arguments, run.folder.path());
    EXPECT_EQ(end.code, 0) << arguments[0] << ": " << end.err;
    return end;
  };
  const Json trained = events(run.dir, "eval").back();
  const Json found = Json::parse(verb({"eval", "--checkpoint", "runs/a", "--json"}).out);
  for (const char* key : {"loss", "mAP", "precision", "recall", "box_loss", "class_loss"}) {
    EXPECT_EQ(found[key], trained[key]) << key;
  }
  EXPECT_NEAR(double{found["box_loss"]} + double{found["class_loss"]}, double{found["loss"]}, 1e-5);
  const std::string picture = (data / "set" / "val2017" / "000001.jpg").string();
  verb({"predict", "--checkpoint", "runs/a", "--input", picture, "--draw", "drawn", "--shown-score",
        "0"});
  EXPECT_TRUE(fs::exists(run.folder / "drawn"));
  // 8 x 8 cells of 2 shapes, 4 x 4 of 1, 2 x 2 of 2.
  const std::string exported =
      verb({"export", "--checkpoint", "runs/a", "--output", "a.onnx", "--verify", "4"}).out;
  EXPECT_NE(exported.find("152"), std::string::npos) << exported;
  verb({"export", "--checkpoint", "runs/a", "--output", "b.onnx", "--nms"});
  verb({"info", "runs/a"});
  verb({"info", "ssd_tiny"});
}

TEST(SmallDetectorRun, PlansAndBenchesWithoutDataAndIsListed) {
  const TempFolder folder;
  const Finished plan =
      run_convoy({"plan", "--config", "detection/shapes", "--json"}, folder.path());
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_FALSE(fs::exists(folder / "data"));
  const Finished bench = run_convoy({"bench", "--model", "ssd_tiny", "--batch-size", "2",
                                     "--image-size", "96", "--steps", "2", "--json"},
                                    folder.path());
  ASSERT_EQ(bench.code, 0) << bench.err;
  EXPECT_EQ(Json::parse(bench.out).at("batch_size"), 2);
  for (const auto& [list, word] : {std::pair{"models", "ssd_tiny"}, std::pair{"datasets", "shapes"},
                                   std::pair{"recipes", "detection/fine_tune"}}) {
    const Finished end = run_convoy({"list", list}, folder.path());
    EXPECT_NE(end.out.find(word), std::string::npos) << end.out;
  }
}

TEST(SmallDetectorRun, LeavesCurvesAndPictures) {
  const TempFolder data;
  write_few_shapes(data / "set");
  const SetRun run(data, 2);
  const auto sound = [](const fs::path& file) {
    const Pixels pixels = decode_picture(read_file(file, Fault::data), file.string(), false);
    return pixels.region.width > 200 && pixels.region.height > 200;
  };
  const std::vector<std::string> files{
      "PR_curve.png",         "P_curve.png",           "R_curve.png",         "F1_curve.png",
      "confusion_matrix.png", "val_batch0_labels.jpg", "val_batch0_pred.jpg", "predictions.png"};
  for (const std::string& file : files) EXPECT_TRUE(sound(run.dir / "plots" / file)) << file;
  EXPECT_FALSE(fs::exists(run.dir / "plots/val_batch1_pred.jpg"));
  const std::string table = read_file(run.dir / "plots/classes.txt", Fault::data);
  EXPECT_EQ(lines_of(table).size(), 10u) << table;
  // The page has what was drawn after the run's end.
  const std::string page = read_file(run.dir / "plots/report.html", Fault::data);
  for (const char* part : {"Precision by recall", "Truth and prediction", "Each class, by the best",
                           "Pictures with the most mistakes", ">finished<"}) {
    EXPECT_NE(page.find(part), page.npos) << part;
  }
  const SeenEvents seen = events_in(run.dir / "tb");
  EXPECT_TRUE(seen.has("pr_curves/all"));
  for (const char* tag : {"train/first_batch", "val/predictions", "val/worst"}) {
    const std::string& png = seen.only(tag).content;
    EXPECT_GT(decode_picture(png, tag, false).region.width, 900) << tag;
  }
  // The same files by eval.
  const Finished end = run_convoy({"eval", "--checkpoint", "runs/a/weights/best.safetensors",
                                   "--data-dir", (data / "set").string(), "--plots", "drawn"},
                                  run.folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.out.find(table), std::string::npos) << end.out;
  for (const std::string& file : files) {
    EXPECT_EQ(read_file(run.folder / "drawn" / file, Fault::data),
              read_file(run.dir / "plots" / file, Fault::data))
        << file;
  }
}

TEST(SmallDetectorRun, PlotsCanBeLeftOut) {
  const TempFolder data;
  write_few_shapes(data / "set");
  const SetRun run(data, 0, {"--epochs", "1", "--mosaic-off-epochs", "0", "--no-plots"});
  EXPECT_FALSE(fs::exists(run.dir / "plots"));
  EXPECT_FALSE(weights_hash_of(run.dir).empty());
}

// A folder where a file of the plots would be.
TEST(SmallDetectorRun, IsNotFailedByAPlot) {
  const TempFolder data;
  write_few_shapes(data / "set");
  const SetRun run(data, 0, {"--epochs", "1", "--mosaic-off-epochs", "0"});
  fs::remove(run.dir / "plots/classes.txt");
  fs::create_directories(run.dir / "plots/classes.txt/in the way");
  run.forget_after(3);
  const Finished end = run.resume(2);
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.err.find("Warning: no plots of this run"), std::string::npos) << end.err;
  EXPECT_EQ(lines_of(end.out).back(), "weights " + run.hash());
}

TEST(SmallDetectorRun, PrepareDrawsASetAndFitsDefaultBoxes) {
  const TempFolder folder;
  const auto verb = [&](const Arguments& arguments) {
    return run_convoy(arguments, folder.path());
  };
  const Arguments draw{"prepare",        "shapes", "--train-pictures", "30",
                       "--val-pictures", "4",      "--picture-size",   "64",
                       "--seed",         "2",      "--output",         "set"};
  const Finished drawn = verb(draw);
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("30 training and 4 validation pictures of 64 x 64"), std::string::npos);
  EXPECT_EQ(verb(draw).code, 2);
  EXPECT_EQ(verb(joined(draw, {"--input", "x"})).code, 2);
  const Finished none = verb(
      {"prepare", "shapes", "--train-pictures", "0", "--val-pictures", "0", "--output", "none"});
  EXPECT_EQ(none.code, 2) << none.err;

  const Arguments fit{"prepare", "boxes",    "--input",      "set", "--fit-anchors",
                      "--model", "ssd_tiny", "--image-size", "64",  "--shapes-per-map",
                      "2",       "--output", "fitted.yml"};
  const Finished fitting = verb(fit);
  ASSERT_EQ(fitting.code, 0) << fitting.err;
  EXPECT_NE(fitting.out.find("8 shapes on 4 maps of ssd_tiny"), std::string::npos) << fitting.out;
  const Finished trained =
      verb({"train", "--config", "fitted.yml", "--data-dir", "set", "--epochs", "1", "--batch-size",
            "8", "--mosaic-off-epochs", "0", "--warmup-epochs", "0", "--name", "a", "--quiet"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Finished info = verb({"info", "runs/a/weights/best.safetensors"});
  EXPECT_NE(info.out.find("default-boxes"), std::string::npos) << info.out;
  EXPECT_EQ(verb({"eval", "--checkpoint", "runs/a", "--json"}).code, 0);
  EXPECT_EQ(verb(joined(fit, {"--to", "yolo"})).code, 2);
  EXPECT_EQ(verb(joined(fit, {"--model", "resnet18"})).code, 2);
  EXPECT_EQ(verb(joined(fit, {"--shapes-per-map", "16", "--val-share", "0"})).code, 0);
}

TEST(SmallDetectorRun, MosaicsAreForDetectorsOnly) {
  const TempFolder folder;
  const Finished end = run_convoy({"train", "--model", "cifar_resnet8", "--dataset", "generated",
                                   "--mosaic", "0.5", "--max-steps", "1"},
                                  folder.path());
  EXPECT_EQ(end.code, 2);
  EXPECT_NE(end.err.find("--mosaic"), std::string::npos) << end.err;
}

}  // namespace
}  // namespace convoy::test
