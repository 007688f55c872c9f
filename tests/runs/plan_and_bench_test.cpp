// `plan` and `bench` as people run them.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_files.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;

Json json_of(const Finished& end) {
  EXPECT_EQ(end.code, 0) << end.err;
  return Json::parse(end.out);
}

// The bound that the plan promises: 5 % and 64 MiB of the peak that the system measured.
void expect_near_the_peak(const Json& bench) {
  const double planned = bench.at("planned_bytes"), peak = bench.at("peak_rss_bytes");
  EXPECT_NEAR(planned, peak, 0.05 * peak + 64 * 1048576.0);
}

TEST(PlanRun, PredictsThePeakOfTheProcess) {
  const TempFolder folder;
  expect_near_the_peak(json_of(run_convoy(
      {"bench", "--model", "cifar_resnet20", "--steps", "1", "--warmup-steps", "1", "--json"},
      folder.path())));
  expect_near_the_peak(
      json_of(run_convoy({"bench", "--model", "resnet50", "--batch-size", "8", "--image-size", "96",
                          "--steps", "1", "--warmup-steps", "1", "--json"},
                         folder.path())));
}

TEST(PlanRun, TellsEverythingAndRunsNothing) {
  const TempFolder folder;
  const Json plan = json_of(run_convoy(
      {"plan", "--model", "resnet50", "--batch-size", "8", "--gradient-accumulation-count", "4",
       "--replicas", "2", "--epochs", "2", "--json"},
      folder.path()));
  EXPECT_EQ(plan.at("batch").at("global_batch"), 64);
  EXPECT_EQ(plan.at("total_steps"), 2 * (1281167 / 64));
  EXPECT_EQ(plan.at("fits"), true);
  const Json& memory = plan.at("memory");
  EXPECT_EQ(memory.at("peak_bytes").get<int64_t>(),
            memory.at("state_bytes").get<int64_t>() + memory.at("workspace_bytes").get<int64_t>() +
                memory.at("loader_bytes").get<int64_t>() +
                memory.at("libraries_bytes").get<int64_t>());
  EXPECT_GT(plan.at("time").at("step_s"), 0);
  EXPECT_GT(plan.at("disk").at("checkpoint_bytes"), 2 * 25'557'032 * 4);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(PlanRun, WhatCannotFitLeavesWithSixTheJsonAndTheLargestBatch) {
  const TempFolder folder;
  const Finished end = run_convoy(
      {"plan", "--model", "resnet152", "--batch-size", "100000", "--memory", "16G", "--json"},
      folder.path());
  EXPECT_EQ(end.code, 6) << end.err;
  const Json plan = Json::parse(end.out);
  EXPECT_EQ(plan.at("fits"), false);
  const int64_t largest = plan.at("largest_batch_size");
  EXPECT_GT(largest, 16);
  EXPECT_NE(end.err.find("the largest --batch-size that fits is " + std::to_string(largest)),
            std::string::npos)
      << end.err;
  const std::vector<std::string> again{
      "plan", "--model", "resnet152", "--batch-size", std::to_string(largest), "--memory", "16G"};
  EXPECT_EQ(run_convoy(again, folder.path()).code, 0);
}

TEST(PlanRun, TrainRefusesWhatCannotFitAndLeavesNothingBehind) {
  const TempFolder folder;
  const Finished end = run_convoy({"train", "--model", "resnet50", "--dataset", "generated",
                                   "--batch-size", "64", "--memory", "1G"},
                                  folder.path());
  EXPECT_EQ(end.code, 6) << end.err;
  EXPECT_EQ(lines_of(end.err).size(), 1u) << end.err;
  EXPECT_FALSE(fs::exists(folder.path() / "runs/resnet50-generated"));
}

TEST(BenchRun, LossesAreThoseOfTraining) {
  const TempFolder folder;
  const std::vector<std::string> recipe{
      "--model", "cifar_resnet8", "--dataset", "generated", "--batch-size", "32", "--seed", "5"};
  std::vector<std::string> bench{"bench", "--steps", "3", "--warmup-steps", "1", "--json"};
  std::vector<std::string> train{"train", "--name",      "a", "--quiet",       "--max-steps",
                                 "4",     "--log-steps", "1", "--eval-epochs", "0"};
  bench.insert(bench.end(), recipe.begin(), recipe.end());
  train.insert(train.end(), recipe.begin(), recipe.end());
  const Json measured = json_of(run_convoy(bench, folder.path()));
  ASSERT_EQ(run_convoy(train, folder.path()).code, 0);
  std::vector<double> losses;
  for (const auto& event : events(folder.path() / "runs/a", "train"))
    losses.push_back(event.at("loss"));
  EXPECT_EQ(measured.at("losses").get<std::vector<double>>(), losses);
  for (const char* key : {"images_per_s", "images_per_s_best", "step_s", "gflops", "share_of_peak",
                          "peak_gflops", "memory_gb_per_s"}) {
    EXPECT_GT(measured.at(key).get<double>(), 0) << key;
  }
  EXPECT_EQ(measured.at("step_seconds").size(), 3u);
}

TEST(BenchRun, InferenceAndOpsAreMeasuredToo) {
  const TempFolder folder;
  const std::vector<std::string> small{"--model", "cifar_resnet8", "--batch-size", "8", "--steps",
                                       "1",       "--json"};
  std::vector<std::string> infer{"bench", "--mode", "infer"}, ops{"bench", "ops", "--by", "op"};
  infer.insert(infer.end(), small.begin(), small.end());
  ops.insert(ops.end(), small.begin(), small.end());
  EXPECT_GT(json_of(run_convoy(infer, folder.path())).at("images_per_s"), 0);
  std::set<std::string> seen;
  const Json measured = json_of(run_convoy(ops, folder.path()));
  double sum = 0;
  for (const Json& row : measured.at("ops")) {
    seen.insert(row.at("op"));
    sum += row.at("step_s").get<double>();
  }
  for (const char* op : {"convolution", "convolution_grad_weights", "batch_norm", "sgd_update"}) {
    EXPECT_TRUE(seen.contains(op)) << op;
  }
  EXPECT_LE(sum, 1.5 * measured.at("step_s").get<double>() + 0.1);
  EXPECT_EQ(run_convoy({"bench", "--by", "op"}, folder.path()).code, 2);
}

}  // namespace
}  // namespace convoy::test
