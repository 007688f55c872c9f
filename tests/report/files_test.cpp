// The listeners that write files: metrics.jsonl, summary.csv, log.txt, sessions.jsonl.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text/text.h"
#include "report/jsonl.h"
#include "report/lines.h"
#include "report/run_log.h"
#include "report/sessions.h"
#include "report/summary_csv.h"
#include "support/label_metrics.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

using Json = nlohmann::json;

TrainProgress progress(int64_t step) {
  return {.epoch = static_cast<double>(step) / 100,
          .step = step,
          .samples = step * 128,
          .loss = 0.1 * static_cast<double>(step),
          .lr = 0.1,
          .images_per_s = 256,
          .data_wait_s = 0.25,
          .epoch_loss = 2.5,
          .total_steps = 1000,
          .steps_per_epoch = 100};
}

// One of each, in a likely order.
std::vector<RunEvent> a_run() {
  return {
      RunStart{.model = "cifar_resnet20",
               .dataset = "fashion-mnist",
               .parameters = 272186,
               .seed = 18446744073709551615u,
               .isa = "avx2",
               .version = "0.1.0",
               .batch = {64, 2, 1, 128},
               .length = {12800, 1000, 100, 1000, 10},
               .lr = 0.1,
               .processes = {.threads = 2, .pinned = true},
               .run_dir = "runs/x"},
      PlanReady{.kind = "train",
                .batch = 64,
                .nodes = 90,
                .state_bytes = 1 << 20,
                .workspace_bytes = 3 << 20,
                .flops = 1e9},
      progress(50),
      BadSample{.file = "train\xff.bin", .index = 7, .reason = "label 12 of 10"},
      EvalProgress{10, 1000},
      EvalDone{.epoch = 1,
               .step = 100,
               .metrics = test::label_metrics(0.3, 91.5, 99.1, 915, 991),
               .total = 1000,
               .seconds = 1.5},
      EpochDone{
          .epoch = 1, .train_loss = 0.4, .eval = test::label_metrics(0.3, 91.5, 99.1), .lr = 0.1},
      CheckpointSaved{.step = 100, .path = "checkpoints/step-0000100", .best = true},
      NonFinite{.step = 120, .loss = NAN},
      Warning{"a \"warning\""},
      Resumed{.step = 100,
              .path = "checkpoints/step-0000100",
              .processes = {.threads = 2, .pinned = true},
              .run_dir = "runs/x"},
      Stopped{.step = 130, .signal = 15, .checkpoint = "checkpoints/step-0000130"},
      RunEnd{.step = 130,
             .weights_hash = "0123456789abcdef",
             .seconds = 62,
             .peak_rss_bytes = 1 << 29,
             .exit = 75},
  };
}

TEST(Metrics, EveryLineIsAnObjectWithTheFieldsOfTheContract) {
  const test::TempFolder folder;
  {
    const auto listener = jsonl_listener(folder / "metrics.jsonl");
    for (const RunEvent& event : a_run()) listener->on(event);
    listener->flush();
  }
  std::vector<std::string> lines = split(read_file(folder / "metrics.jsonl", Fault::usage), '\n');
  EXPECT_EQ(lines.back(), "");
  lines.pop_back();
  std::string events;
  for (const std::string& line : lines) {
    const Json object = Json::parse(line);
    EXPECT_GT(object.at("t").get<double>(), 1.6e9);
    events += object.at("event").get<std::string>() + " ";
  }
  EXPECT_EQ(events, "run_start plan train bad_sample eval checkpoint nonfinite stop run_end ");

  const Json train = Json::parse(lines[2]);
  for (const char* key :
       {"epoch", "step", "samples", "loss", "lr", "images_per_s", "data_wait_s", "rss_bytes"}) {
    EXPECT_TRUE(train.at(key).is_number()) << key;
  }
  const Json eval = Json::parse(lines[4]);
  for (const char* key : {"epoch", "step", "loss", "top1", "top5", "correct", "total"}) {
    EXPECT_TRUE(eval.at(key).is_number()) << key;
  }
  EXPECT_EQ(Json::parse(lines[0]).at("seed").get<uint64_t>(), 18446744073709551615u);
  EXPECT_FALSE(Json::parse(lines[0]).contains("run_dir"));
  EXPECT_FALSE(Json::parse(lines[0]).contains("pinned"));
  EXPECT_EQ(Json::parse(lines[6]).at("loss"), "nan");
  const Json end = Json::parse(lines[8]);
  EXPECT_EQ(end.at("weights_hash"), "0123456789abcdef");
  EXPECT_EQ(end.at("exit"), 75);
}

TEST(Metrics, NumbersComeBackBitForBit) {
  for (const double loss :
       {0.1, 1.0 / 3, 2.0, 1e-300, 12345678.9, std::nextafter(2.0, 3.0), -0.0}) {
    TrainProgress event = progress(1);
    event.loss = loss;
    const double read = Json::parse(metrics_line(event, 0)).at("loss").get<double>();
    EXPECT_EQ(std::bit_cast<uint64_t>(read), std::bit_cast<uint64_t>(loss)) << loss;
  }
  EXPECT_EQ(metrics_line(NonFinite{3, -INFINITY}, 1.25),
            "{\"event\":\"nonfinite\",\"step\":3,\"loss\":\"-inf\",\"what\":\"loss\",\"action\":"
            "\"stop\",\"samples\":[],\"t\":1.25}\n");
}

TEST(Metrics, StepsThatAreNotRecordedAreNotWritten) {
  TrainProgress event = progress(1);
  event.record = false;
  EXPECT_EQ(metrics_line(event, 0), "");
}

TEST(Metrics, AnUnwritablePathIsTheRunDirectorysFault) {
  try {
    jsonl_listener("no/such/folder/metrics.jsonl");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::checkpoint);
  }
}

TEST(Summary, OneLinePerEpochAndEmptyFieldsWithoutEvaluation) {
  const test::TempFolder folder;
  for (int session = 0; session < 2; ++session) {  // the second one appends, without a header
    const auto listener = summary_csv_listener(folder / "summary.csv", test::label_metric_defs());
    listener->on(EpochDone{.epoch = session * 2 + 1, .train_loss = 0.1, .lr = 1e-3});
    listener->on(EpochDone{.epoch = session * 2 + 2,
                           .train_loss = 1.0 / 3,
                           .eval = test::label_metrics(0.5, 91, 99.5),
                           .lr = 0});
  }
  EXPECT_EQ(read_file(folder / "summary.csv", Fault::usage),
            "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr\n"
            "1,0.1,,,,0.001\n"
            "2,0.3333333333333333,0.5,91,99.5,0\n"
            "3,0.1,,,,0.001\n"
            "4,0.3333333333333333,0.5,91,99.5,0\n");
}

TEST(Lines, ReadAsTimmDoes) {
  double now = 0;
  Lines lines([&] { return now; }, [] { return std::string("2024-01-31 12:00:00"); });
  EXPECT_EQ(lines.of(progress(149)),
            "Train: 2 [ 49/100 ( 49%)]  Loss: 14.9000 (2.5000)  Time: 0.500s, 256.00/s (0.500s, "
            "256.00/s)  LR: 1.000e-01  Data: 0.250 (0.250)\n");
  now = 10;
  TrainProgress next = progress(150);
  next.metric = test::label_metrics(0, 45.126, 0)[1];
  next.images_per_s = 128;
  EXPECT_EQ(lines.of(next),
            "Train: 2 [ 50/100 ( 50%)]  Loss: 15.0000 (2.5000)  Acc@1: 45.13  Time: 1.000s, "
            "128.00/s (0.750s, 170.67/s)  LR: 1.000e-01  Data: 0.250 (0.250)  ETA: 2:21:40\n");
  next.record = false;
  EXPECT_EQ(lines.of(next), "");
  EXPECT_EQ(lines.of(EvalDone{.epoch = 2,
                              .step = 200,
                              .metrics = test::label_metrics(1.02, 76.158, 92.87, 38079, 46435),
                              .total = 50000,
                              .seconds = 3}),
            "Test: 2 [50000/50000]  Time: 3.00s  Loss: 1.0200  Acc@1: 76.158  Acc@5: 92.870\n"
            " * Acc@1 76.158 (38079/50000)  Acc@5 92.870 (46435/50000)\n");
  EXPECT_EQ(lines.of(Stopped{7, 15, ""}), "Stopped: SIGTERM at step 7, no checkpoint\n");
}

TEST(Lines, AnEpochEndsAtOneHundredPercent) {
  Lines lines([] { return 0.0; }, [] { return std::string(); });
  EXPECT_TRUE(lines.of(progress(100)).starts_with("Train: 1 [100/100 (100%)]"));
  EXPECT_TRUE(lines.of(progress(101)).starts_with("Train: 2 [  1/100 (  1%)]"));
}

TEST(RunLog, HoldsTheRunAndTheSessionsFileTheProcesses) {
  const test::TempFolder folder;
  for (int session = 0; session < 2; ++session) {
    Listeners listeners;
    listeners.add(run_log_listener(folder / "log.txt"));
    listeners.add(sessions_listener(folder / "sessions.jsonl"));
    for (const RunEvent& event : a_run()) listeners.on(event);
    listeners.flush();
  }
  const std::string log = read_file(folder / "log.txt", Fault::usage);
  EXPECT_NE(log.find("Run: cifar_resnet20 on fashion-mnist"), std::string::npos);
  EXPECT_NE(log.find("Batch: 64 x 2 accumulated x 1 replicas = 128"), std::string::npos);
  EXPECT_EQ(log.find("Resumed"), std::string::npos);
  EXPECT_TRUE(log.ends_with("weights 0123456789abcdef\n"));

  std::string events;
  std::string text = read_file(folder / "sessions.jsonl", Fault::usage);
  text.pop_back();
  for (const std::string& line : split(text, '\n')) {
    const Json object = Json::parse(line);
    events += object.at("event").get<std::string>() + " ";
    EXPECT_GT(object.at("pid").get<int>(), 0);
    EXPECT_FALSE(object.at("host").get<std::string>().empty());
    EXPECT_TRUE(object.at("step").is_number_integer());
    if (object.at("event") == "start" || object.at("event") == "resume") {
      EXPECT_EQ(object.at("threads"), 2);
      EXPECT_EQ(object.at("pinned"), true);
    }
  }
  EXPECT_EQ(events, "start warning resume stop end start warning resume stop end ");
}

}  // namespace
}  // namespace convoy
