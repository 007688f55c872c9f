// MLPerf's lines: their form, their order, and a resumed run.
#include "report/mllog/mllog.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/text/text.h"
#include "support/label_metrics.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;

std::vector<Json> lines_of(const fs::path& file) {
  std::vector<Json> all;
  for (const std::string& line : split(read_file(file, Fault::bug), '\n')) {
    if (line.empty()) continue;
    EXPECT_TRUE(line.starts_with(":::MLLOG {")) << line;
    all.push_back(Json::parse(line.substr(9)));
  }
  return all;
}

// The keys in their order, without the tensors.
std::string order_of(const fs::path& file) {
  std::string keys;
  for (const Json& line : lines_of(file)) {
    const std::string key = line.at("key");
    if (key != "weights_initialization") keys += key + " ";
  }
  return keys;
}

Json value_of(const fs::path& file, const std::string& key) {
  for (const Json& line : lines_of(file)) {
    if (line.at("key") == key) return line.at("value");
  }
  return "absent";
}

const RunStart start{.model = "resnet50",
                     .batch = {.micro_batch = 8, .replicas = 2, .global_batch = 16},
                     .length = {.train_samples = 160, .steps_per_epoch = 10, .total_steps = 40},
                     .lr = 0.5};

void train(Listener& listener, int64_t from, int64_t to) {
  for (int64_t step = from; step <= to; ++step) {
    listener.on(TrainProgress{.epoch = static_cast<double>(step) / 10, .step = step});
  }
}

void evaluate(Listener& listener, double epoch, double top1) {
  listener.on(EvalProgress{.samples = 50, .total = 100});
  listener.on(EvalProgress{.samples = 100, .total = 100});
  listener.on(EvalDone{.epoch = epoch, .metrics = label_metrics(1, top1, 99), .total = 100});
}

TEST(Mllog, LinesComeInTheOrderOfTheRules) {
  const TempFolder folder;
  const fs::path file = folder / "mllog.txt";
  {
    const auto listener = mllog_listener({file,
                                          MllogBenchmark::resnet,
                                          "org",
                                          "host",
                                          "closed",
                                          {{"optimizer", "lars"},
                                           {"warmup-epochs", "2"},
                                           {"weight-decay", "0.0002"},
                                           {"min-lr", "0.0001"},
                                           {"poly-lr-decay-power", "2"},
                                           {"lars-epsilon", "0"}}});
    listener->on(start);
    train(*listener, 1, 10);
    evaluate(*listener, 1, 50);
    train(*listener, 11, 20);
    evaluate(*listener, 2, 76);
    listener->on(RunEnd{.step = 20});
  }
  EXPECT_EQ(order_of(file),
            "submission_benchmark submission_org submission_division submission_status "
            "submission_platform cache_clear init_start seed global_batch_size "
            "gradient_accumulation_steps train_samples eval_samples opt_name "
            "lars_opt_base_learning_rate lars_opt_end_learning_rate "
            "lars_opt_learning_rate_decay_poly_power lars_opt_learning_rate_decay_steps "
            "lars_opt_momentum lars_opt_weight_decay lars_opt_learning_rate_warmup_epochs "
            "lars_epsilon init_stop run_start "
            "block_start block_stop eval_start eval_accuracy eval_stop "
            "block_start block_stop eval_start eval_accuracy eval_stop run_stop ");
  EXPECT_EQ(value_of(file, "lars_opt_end_learning_rate"), 0.0001);
  EXPECT_EQ(value_of(file, "lars_opt_learning_rate_decay_steps"), 20);
  EXPECT_EQ(value_of(file, "eval_accuracy"), 0.5);
  EXPECT_EQ(lines_of(file).back().at("metadata").at("status"), "success");
  const Json block = lines_of(file).at(lines_of(file).size() - 6);
  EXPECT_EQ(block.at("key"), "block_start");
  EXPECT_EQ(block.at("metadata").at("first_epoch_num"), 2);
  EXPECT_EQ(block.at("event_type"), "INTERVAL_START");
}

TEST(Mllog, SsdHasItsOwnKeys) {
  const TempFolder folder;
  const fs::path file = folder / "mllog.txt";
  mllog_listener({file,
                  MllogBenchmark::ssd,
                  "org",
                  "host",
                  "closed",
                  {{"piecewise-epochs", "40,50"}, {"bn-span", "2"}, {"warmup-epochs", "0.5"}}})
      ->on(start);
  EXPECT_EQ(value_of(file, "opt_learning_rate_decay_boundary_epochs"), (Json{40, 50}));
  EXPECT_EQ(value_of(file, "model_bn_span"), 16);
  EXPECT_EQ(value_of(file, "opt_learning_rate_warmup_steps"), 5);
  EXPECT_EQ(value_of(file, "max_samples"), 50);
}

TEST(Mllog, AResumedRunGoesOnInItsBlock) {
  const TempFolder folder;
  const MllogSpec spec{folder / "mllog.txt", MllogBenchmark::resnet, "org", "host", "closed", {}};
  {
    const auto killed = mllog_listener(spec);
    killed->on(start);
    train(*killed, 1, 15);
  }
  const auto resumed = mllog_listener(spec);
  resumed->on(Resumed{.step = 15, .path = "checkpoints/step-0000015"});
  train(*resumed, 16, 20);
  evaluate(*resumed, 2, 10);
  resumed->on(RunEnd{.step = 20});
  EXPECT_TRUE(order_of(spec.file).ends_with(
      "run_start block_start block_stop eval_start eval_accuracy eval_stop "
      "run_stop "))
      << order_of(spec.file);
  EXPECT_EQ(lines_of(spec.file).back().at("metadata").at("status"), "aborted");
}

TEST(Mllog, NamesEveryTensorOnce) {
  for (const auto& [benchmark, count] :
       {std::pair{MllogBenchmark::resnet, 161u}, {MllogBenchmark::ssd, 119u}}) {
    const std::vector<std::string> names = mllog_tensors(benchmark);
    EXPECT_EQ(names.size(), count);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), count);
  }
}

}  // namespace
}  // namespace convoy::test
