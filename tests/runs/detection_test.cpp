// Detection in whole runs: trained, interrupted, resumed, evaluated and predicted, on generated
// objects and on a set in COCO's format, with the same digits on any number of processes.

#include <gtest/gtest.h>

#include "support/coco_set.h"
#include "support/processes.h"

namespace convoy::test {
namespace {

// Three replicas of one image, three steps, an evaluation of two images at the end.
Arguments recipe(const Arguments& more = {}) {
  return joined({"--model",
                 "ssd_resnet34",
                 "--dataset",
                 "generated",
                 "--generated-classes",
                 "4",
                 "--generated-samples",
                 "9",
                 "--batch-size",
                 "1",
                 "--replicas",
                 "3",
                 "--epochs",
                 "1",
                 "--epoch-tail",
                 "drop",
                 "--eval-batch-size",
                 "2",
                 "--lr",
                 "0.005",
                 "--warmup-epochs",
                 "0",
                 "--checkpoint-steps",
                 "2",
                 "--log-steps",
                 "1"},
                more);
}

Json evaluation_of(const fs::path& run) { return events(run, "eval").back(); }

TEST(DetectionRun, ProcessesThreadsAndAResumeChangeNoDigit) {
  for (const Arguments& more : {Arguments{}, Arguments{"--sync-bn", "--bn-variance", "biased"}}) {
    const ProcessesRun alone(0, recipe(joined(more, {"--threads", "2"})));
    const Json scored = evaluation_of(alone.dir);
    for (const char* key : {"mAP", "mAP50", "mAP75", "loss"}) EXPECT_TRUE(scored.contains(key));
    for (const int processes : {2, 3}) {
      const ProcessesRun many(processes, recipe(joined(more, {"--threads", "1"})));
      EXPECT_EQ(many.hash(), alone.hash()) << processes;
      EXPECT_EQ(many.numbers(), alone.numbers()) << processes;
      if (processes == 3) continue;
      many.forget_after(2);
      EXPECT_EQ(many.resume(3).code, 0);
      EXPECT_EQ(many.hash(), alone.hash());
      EXPECT_EQ(many.numbers(), alone.numbers());
    }
  }
}

TEST(DetectionRun, EvalGivesTheDigitsOfTrainingOnAnyNumberOfProcesses) {
  const ProcessesRun run(0, recipe({"--name", "a"}));
  const Json trained = evaluation_of(run.dir);
  const Arguments eval{"eval", "--checkpoint", "runs/a", "--json", "--eval-batch-size", "1"};
  for (const int processes : {0, 2}) {
    const Finished end = processes ? run_convoy_on(processes, eval, run.folder.path())
                                   : run_convoy(eval, run.folder.path());
    ASSERT_EQ(end.code, 0) << end.err;
    const Json found = Json::parse(end.out);
    for (const char* key : {"mAP", "mAP50", "mAP75", "loss"}) {
      EXPECT_EQ(found[key], trained[key]) << key << " on " << processes;
    }
  }
}

// The network's own evaluation and the scores of its predictions' file agree.
TEST(DetectionRun, PredictionsOfASetInCocosFormatScoreAsItsEvaluation) {
  const TempFolder folder;
  five_pictures().write(folder / "set", "train2017");
  five_pictures().write(folder / "set", "val2017");
  const Finished trained = run_convoy({"train",
                                       "--config",
                                       "ssd/resnet34",
                                       "--data-dir",
                                       "set",
                                       "--batch-size",
                                       "2",
                                       "--epochs",
                                       "15",
                                       "--warmup-epochs",
                                       "0",
                                       "--optimizer",
                                       "adamw",
                                       "--lr",
                                       "5e-4",
                                       "--lr-schedule",
                                       "constant",
                                       "--crop",
                                       "ssd-whole",
                                       "--augment",
                                       "none",
                                       "--eval-epochs",
                                       "15",
                                       "--checkpoint-epochs",
                                       "15",
                                       "--name",
                                       "a",
                                       "--quiet"},
                                      folder.path());
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Json eval = evaluation_of(folder / "runs/a");
  EXPECT_GT(double{eval["mAP50"]}, 0);
  const Finished predicted =
      run_convoy({"predict", "--checkpoint", "runs/a", "--input", "set/val2017", "--results",
                  "found.json", "--annotations", "set/annotations/instances_val2017.json"},
                 folder.path());
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  const Finished scored = run_convoy({"eval", "--results", "found.json", "--annotations",
                                      "set/annotations/instances_val2017.json", "--json"},
                                     folder.path());
  ASSERT_EQ(scored.code, 0) << scored.err;
  const Json numbers = Json::parse(scored.out);
  // `predict` folds batch norms, so scores that are nearly equal may change places.
  EXPECT_NEAR(double{numbers["AP"]}, double{eval["mAP"]}, 5e-3);
  EXPECT_NEAR(double{numbers["AP50"]}, double{eval["mAP50"]}, 5e-3);
  EXPECT_NEAR(double{numbers["AP75"]}, double{eval["mAP75"]}, 5e-3);
}

TEST(DetectionRun, AModelAndADatasetOfOtherKindsAreRefused) {
  const TempFolder folder;
  five_pictures().write(folder / "set", "train2017");
  five_pictures().write(folder / "set", "val2017");
  for (const Arguments& options :
       {Arguments{"--model", "ssd_resnet34", "--dataset", "fashion-mnist", "--max-steps", "1"},
        Arguments{"--model", "resnet18", "--dataset", "coco", "--data-dir", "set", "--batch-size",
                  "2", "--crop", "ssd-whole", "--eval-crop", "ssd-whole"}}) {
    const Finished end = run_convoy(joined({"train", "--batch-size", "1"}, options), folder.path());
    EXPECT_EQ(end.code, 2) << end.err;
    EXPECT_NE(end.err.find("the samples of this dataset have"), std::string::npos) << end.err;
  }
}

}  // namespace
}  // namespace convoy::test
