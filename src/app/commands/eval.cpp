// `convoy eval`: weights against data, every sample once.

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/inference.h"
#include "app/options.h"
#include "app/run.h"
#include "report/console.h"
#include "train/evaluate.h"

namespace convoy {
namespace {

struct Options : InferenceOptions {
  std::string split = "test";
  int64_t eval_batch_size = 250;
  bool json = false;

  void describe(Fields& field) {
    describe_source(field);
    field("split", split, "which part of the dataset", one_of({"test", "train"}));
    field("json", json, "print one JSON object");
    describe_told(field);
    field.section("How");
    field("eval-batch-size", eval_batch_size, "images at a time; changes no result", at_least(1),
          {"batch-size", "b"});
    describe_how(field);
  }
};

void describe(Fields& field) { Options().describe(field); }

int run(const CommandLine& line) {
  need_words(line, {});
  const std::vector<Field> known = described(describe);
  const ChosenWeights chosen = choose_weights(line, known, "eval");
  Fields field(chosen.settings);
  Options options;
  options.describe(field);
  field.finish(known);
  const FoundModel model = settle(options, chosen.file.origin());

  const auto data = options.data.open(options.split == "train", options.seed);
  const AugmentChain chain = options.data.chain(data->image_shape(), false);
  InferenceNetwork network(options, model, data->image_shape(),
                           options.num_classes ? options.num_classes : data->classes(),
                           options.eval_batch_size);
  if (line.settings.contains("algorithms")) warn_of_idle_rules(network.plans(), options.choices);
  network.load(chosen.file);
  Evaluator evaluator(network.task(), network.executor(), *data, chain, options.eval_batch_size,
                      options.data.loader());
  const auto console = console_listener(console_options(options.json));
  const Tally t = *evaluator.run([&](int64_t done) {
    if (!options.json) console->on(EvalProgress{done, evaluator.samples()});
    return true;
  });
  if (options.json) {
    const nlohmann::ordered_json result{{"top1", t.top1()},     {"top5", t.top5()},
                                        {"correct", t.correct}, {"correct5", t.correct5},
                                        {"total", t.samples},   {"loss", t.mean_loss()}};
    fmt::print("{}\n", result.dump());
  } else {
    console->on(EvalDone{.loss = t.mean_loss(),
                         .top1 = t.top1(),
                         .top5 = t.top5(),
                         .correct = t.correct,
                         .correct5 = t.correct5,
                         .total = t.samples});
  }
  return 0;
}

}  // namespace

CommandDef eval_command() {
  return {
      .name = "eval",
      .summary = "evaluate weights on a dataset",
      .usage = "eval --checkpoint FILE|RUN_DIR [options]",
      .details = R"(Weights written by Convoy say which model, dataset and preprocessing they belong
to, so the file is enough. The numbers are those of the evaluation in training.

  convoy eval --checkpoint runs/demo/weights/best.safetensors
  convoy eval --checkpoint runs/demo --weights ema --json
  convoy eval --checkpoint resnet20.safetensors --model cifar_resnet20 --dataset cifar-10 --data-dir DIR
)",
      .describe = describe,
      .run = run};
}

}  // namespace convoy
