// `convoy plan --curve`: the recipe before it is run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/text/text.h"
#include "pictures/png.h"
#include "support/run_files.h"

namespace convoy::test {
namespace {

std::vector<std::vector<double>> rows_of(const fs::path& csv) {
  std::vector<std::vector<double>> rows;
  const std::vector<std::string> lines = lines_of(read_file(csv, Fault::bug));
  EXPECT_EQ(lines.at(0), "step,epoch,lr,momentum,weight_decay");
  for (size_t i = 1; i < lines.size(); ++i) {
    rows.emplace_back();
    for (const std::string& part : split(lines[i], ',')) rows.back().push_back(std::stod(part));
  }
  return rows;
}

TEST(PlanCurveRun, HasTheRatesThatTrainingHas) {
  const TempFolder folder;
  const Arguments recipe =
      tiny({"--epochs", "2", "--lr", "0.2", "--warmup-epochs", "0.5", "--lr-schedule", "cosine",
            "--momentum", "0.8", "--weight-decay", "5e-4"});
  const Finished plan =
      run_convoy(joined({"plan", "--curve", "lr.png", "--json"}, recipe), folder.path());
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_EQ(Json::parse(plan.out).at("curve_files"), (Json{"lr.png", "lr.csv"}));
  const std::string png = read_file(folder / "lr.png", Fault::bug);
  EXPECT_EQ(inspect_png(png, "lr").width, 1000);
  const auto rows = rows_of(folder / "lr.csv");
  const Finished train = run_convoy(
      joined({"train", "--name", "a", "--quiet", "--log-steps", "1", "--eval-epochs", "0"}, recipe),
      folder.path());
  ASSERT_EQ(train.code, 0) << train.err;
  const std::vector<Json> steps = events(folder / "runs/a", "train");
  ASSERT_EQ(rows.size(), 32u);
  ASSERT_EQ(steps.size(), 32u);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i][0], static_cast<double>(i));
    EXPECT_NEAR(rows[i][1], static_cast<double>(i) / 16, 1e-9);
    EXPECT_NEAR(rows[i][2], steps[i].at("lr").get<double>(), 1e-7) << i;
    EXPECT_EQ(rows[i][3], 0.8);
    EXPECT_EQ(rows[i][4], 5e-4);
  }
}

TEST(PlanCurveRun, NumbersAloneAndLongRuns) {
  const TempFolder folder;
  // AdamW has no momentum but its first beta; decay of d * w^2 is felt twice.
  const Finished plan =
      run_convoy({"plan", "--model", "cifar_resnet8", "--optimizer", "adamw", "--epochs", "90",
                  "--weight-decay-form", "square", "--weight-decay", "0.01", "--curve", "sub.csv"},
                 folder.path());
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("Curves: sub.csv\n"), std::string::npos) << plan.out;
  EXPECT_FALSE(fs::exists(folder / "sub.png"));
  const auto rows = rows_of(folder / "sub.csv");
  ASSERT_EQ(rows.size(), 20000u);
  EXPECT_EQ(rows.front()[0], 0);
  EXPECT_EQ(rows.back()[0], 900810 - 1);
  for (size_t i = 1; i < rows.size(); ++i) {
    const double apart = rows[i][0] - rows[i - 1][0];
    ASSERT_TRUE(apart == 45 || apart == 46) << i;
  }
  EXPECT_EQ(rows[7][3], 0.9);
  EXPECT_EQ(rows[7][4], 0.02);
}

// A recipe for ImageNet can be looked at without having ImageNet.
TEST(PlanCurveRun, ASetThatIsNotHereCountsAsPublished) {
  ::unsetenv("DATA_DIR");
  const TempFolder folder;
  const Arguments recipe{"--config", "imagenet/keras_resnet50_lars", "--memory", "900G"};
  const Finished plan =
      run_convoy(joined({"plan", "--curve", "lr.csv", "--json"}, recipe), folder.path());
  ASSERT_EQ(plan.code, 0) << plan.err;
  const Json planned = Json::parse(plan.out);
  EXPECT_EQ(planned.at("dataset_is_here"), false);
  EXPECT_EQ(planned.at("steps_per_epoch"), 625);
  EXPECT_EQ(planned.at("total_steps"), 25000);
  const auto rows = rows_of(folder / "lr.csv");
  // Not every step has a row.
  const auto at =
      std::ranges::lower_bound(rows, 5000.0, {}, [](const auto& row) { return row[0]; });
  ASSERT_NE(at, rows.end());
  EXPECT_NEAR((*at)[2], 7.106038, 2e-3);
  EXPECT_NEAR(rows.back()[2], 1e-4, 1e-6);
  // Small sets are held whole: what that takes is known too.
  const Arguments small{"plan", "--config", "cifar10/resnet20", "--json"};
  const Json cifar = Json::parse(run_convoy(small, folder.path()).out);
  EXPECT_GT(cifar.at("memory").at("loader_bytes").get<int64_t>(), 60000 * 3073);
  // To train, the files must be there.
  const Finished train = run_convoy(joined({"train"}, recipe), folder.path());
  EXPECT_EQ(train.code, 2);
  EXPECT_NE(train.err.find("--data-dir"), std::string::npos) << train.err;
}

TEST(PlanCurveRun, OtherFilesAreRefusedBeforeAnythingIsDone) {
  const TempFolder folder;
  for (const auto& [file, part] : std::vector<std::pair<std::string, std::string>>{
           {"lr.jpg", "try: lr.png"}, {"lr", "try: lr.png"}, {"", "png"}, {"no/lr.png", "no/"}}) {
    const Finished end = run_convoy(joined({"plan", "--curve", file}, tiny()), folder.path());
    EXPECT_EQ(end.code, 2) << file << end.err;
    EXPECT_EQ(lines_of(end.err).size(), 1u) << end.err;
    EXPECT_NE(end.err.find(part), std::string::npos) << end.err;
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

}  // namespace
}  // namespace convoy::test
