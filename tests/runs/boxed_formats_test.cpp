// Detection on sets in the formats of COCO, YOLO and Pascal VOC in whole runs: the same digits in
// every format, on any number of processes, and after a resume.

#include <gtest/gtest.h>

#include "support/boxed_layouts.h"
#include "support/coco_set.h"
#include "support/processes.h"
#include "support/shared_data.h"

namespace convoy::test {
namespace {

Arguments recipe(const std::string& data, const Arguments& more = {}) {
  return joined({"--model", "ssd_resnet34", "--data-dir", data, "--batch-size", "1", "--lr",
                 "0.005", "--warmup-epochs", "0", "--log-steps", "1"},
                more);
}

void prepare(const std::string& from, const std::string& to, const fs::path& folder) {
  const Finished end =
      run_convoy({"prepare", "boxes", "--input", from, "--output", to, "--to", to}, folder);
  ASSERT_EQ(end.code, 0) << end.err;
}

// The hashes of the weights after two steps on the set in each format.
void expect_same_weights(const fs::path& folder, const std::vector<std::string>& sets,
                         const Arguments& more) {
  std::string hash;
  for (const std::string& set : sets) {
    const Finished end =
        run_convoy(joined({"train", "--name", set + "_run", "--quiet"}, recipe(set, more)), folder);
    ASSERT_EQ(end.code, 0) << end.err;
    const std::string own = weights_hash_of(folder / "runs" / (set + "_run"));
    if (hash.empty()) hash = own;
    EXPECT_EQ(own, hash) << set;
  }
  EXPECT_EQ(hash.size(), 16u);
}

TEST(BoxedFormatsRun, TheSameSetTrainsToTheSameWeights) {
  const TempFolder folder;
  CocoSet set = five_pictures();
  // What converters leave out or cut would differ.
  auto& objects = set.annotations["annotations"];
  objects.erase(7), objects.erase(5), objects.erase(1);
  objects[1]["bbox"] = {20.37, 15.01, 40.3, 30.123};
  set.write(folder / "in", "train2017");
  set.write(folder / "in", "val2017");
  for (const char* to : {"coco", "yolo", "voc"}) prepare("in", to, folder.path());
  expect_same_weights(folder.path(), {"in", "coco", "yolo", "voc"},
                      {"--max-steps", "2", "--eval-epochs", "0"});
}

TEST(BoxedFormatsRun, RealPicturesTrainToTheSameWeights) {
  const auto input = shared_data("coco/tiny_coco");
  if (!input) GTEST_SKIP();
  const TempFolder folder;
  fs::create_directory_symlink(*input, folder / "in");
  for (const char* to : {"yolo", "voc"}) prepare("in", to, folder.path());
  expect_same_weights(folder.path(), {"in", "yolo", "voc"},
                      {"--max-steps", "1", "--eval-epochs", "0"});
}

TEST(BoxedFormatsRun, ProcessesAndAResumeChangeNoDigit) {
  const TempFolder folder;
  for (const char* name : {"roboflow_yolo", "published_voc"}) {
    write_layout(name, folder / name);
    const Arguments options = recipe(
        (folder / name).string(),
        {"--replicas", "2", "--epochs", "2", "--checkpoint-steps", "1", "--eval-batch-size", "1"});
    const ProcessesRun alone(0, options);
    const ProcessesRun both(2, options);
    EXPECT_EQ(both.hash(), alone.hash()) << name;
    EXPECT_EQ(both.numbers(), alone.numbers()) << name;
    both.forget_after(1);
    EXPECT_EQ(both.resume(2).code, 0);
    EXPECT_EQ(both.hash(), alone.hash()) << name;
    const Finished eval =
        run_convoy({"eval", "--checkpoint", "runs/a", "--json", "--eval-batch-size", "2"},
                   alone.folder.path());
    ASSERT_EQ(eval.code, 0) << eval.err;
    const Json trained = events(alone.dir, "eval").back();
    EXPECT_EQ(Json::parse(eval.out)["mAP"], trained["mAP"]);
    EXPECT_EQ(Json::parse(eval.out)["loss"], trained["loss"]);
  }
}

// From a folder without splits to objects in pictures, with the classes' names.
TEST(BoxedFormatsRun, AnUnsplitExportTrainsAndPredicts) {
  const TempFolder folder;
  const fs::path set = folder / "set";
  write_layout("label_studio_yolo", set);
  const ProcessesRun run(
      0, recipe(set.string(), {"--val-share", "0.4", "--epochs", "1", "--checkpoint-steps", "1"}));
  const Finished found = run_convoy({"predict", "--checkpoint", "runs/a", "--input",
                                     (set / "images").string(), "--min-score", "0", "--json"},
                                    run.folder.path());
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_NE(found.out.find("\"bee\""), std::string::npos) << found.out.substr(0, 300);
  run.forget_after(1);
  // A picture that came later would change the order: the resume says so.
  write_picture(set / "images/d.bmp", 50, 50);
  write_text(set / "labels/d.txt", "0 0.5 0.5 0.5 0.5\n");
  const Finished resumed = run_convoy({"resume", "runs/a", "--quiet"}, run.folder.path());
  EXPECT_EQ(resumed.code, 3) << resumed.err;
  EXPECT_NE(resumed.err.find("d.bmp"), std::string::npos) << resumed.err;
}

TEST(BoxedFormatsRun, BrokenAnnotationsEndBeforeTheFirstStep) {
  const TempFolder folder;
  write_layout("ultralytics", folder / "set");
  write_text(folder / "set/labels/train/a.txt", "0 0.5 nan 0.1 0.1\n");
  const Finished end = run_convoy(
      joined({"train", "--name", "a"}, recipe("set", {"--max-steps", "1"})), folder.path());
  EXPECT_EQ(end.code, 3) << end.err;
  EXPECT_NE(end.err.find("labels/train/a.txt:1: nan is no number"), std::string::npos) << end.err;
}

}  // namespace
}  // namespace convoy::test
