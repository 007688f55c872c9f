// `convoy eval`: weights against data, every sample once.

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/options.h"
#include "app/run.h"
#include "base/cores.h"
#include "base/error.h"
#include "base/text.h"
#include "config/config_file.h"
#include "models/model.h"
#include "report/console.h"
#include "tensor/isa.h"
#include "train/checkpoint.h"
#include "train/classification.h"
#include "train/evaluate.h"
#include "train/kernel_choices.h"
#include "train/network.h"
#include "train/tensors.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

struct Options {
  std::string checkpoint;
  std::string weights = "model";
  std::string split = "test";
  std::string model;
  int num_classes = 0;
  DataOptions data;
  Choices choices;
  int64_t eval_batch_size = 250;
  int threads = 0;
  uint64_t seed = 1;
  std::string isa = "auto";
  bool json = false;

  void describe(Fields& field) {
    field("checkpoint", checkpoint,
          "a weights file (.safetensors), a checkpoint folder or a run directory");
    field("weights", weights,
          "of a checkpoint or run: the weights themselves, or their moving average",
          one_of({"model", "ema"}));
    field("split", split, "which part of the dataset", one_of({"test", "train"}));
    field("json", json, "print one JSON object");
    field.section("What the file says about itself, to be overridden");
    field("model", model, "the architecture");
    field("num-classes", num_classes, "classes of the head; 0: as many as the dataset has",
          at_least(0));
    field("seed", seed, "of generated data");
    data.describe(field, false);
    field.section("How");
    field("eval-batch-size", eval_batch_size, "images at a time; changes no result", at_least(1),
          {"batch-size", "b"});
    field("threads", threads, "threads that compute; 0: one for each core. Changes no result",
          between(0, 256), {"j"});
    field("isa", isa, "instruction set", one_of({"auto", "sse41", "avx2", "avx512"}));
    describe_choices(field, choices);
  }
};

void describe(Fields& field) { Options().describe(field); }

// The weights file meant by a path to a file, a checkpoint or a run.
fs::path weights_file(const std::string& given, const std::string& kind) {
  const fs::path path = given;
  if (!fs::exists(path))
    raise(Fault::checkpoint, "there is no {}; try: a .safetensors file or a run directory", given);
  if (!fs::is_directory(path)) return path;
  const std::string file = kind == "ema" ? "ema.safetensors" : "model.safetensors";
  if (fs::exists(path / "state.json")) return path / file;
  if (fs::exists(path / "checkpoints/last")) return path / "checkpoints/last" / file;
  raise(Fault::checkpoint, "{} is neither a checkpoint nor a run directory with one", given);
}

// The options that a weights file answers for itself.
Settings told_by(const SafetensorsFile& file, const std::vector<Field>& known) {
  Settings settings;
  for (const auto& [key, value] : file.metadata()) {
    if (!key.starts_with("convoy.option.")) continue;
    const std::string option = key.substr(std::string_view("convoy.option.").size());
    if (find_field(known, option)) settings[option] = {value, file.origin()};
  }
  return settings;
}

int run(const CommandLine& line) {
  need_words(line, {});
  const std::vector<Field> known = described(describe);
  const Settings typed = resolve(line, known);
  if (!typed.contains("checkpoint"))
    raise(Fault::usage, "eval needs --checkpoint FILE|RUN_DIR; try: convoy eval --help");
  const auto kind = typed.find("weights");
  const SafetensorsFile file = SafetensorsFile::read(
      weights_file(typed.at("checkpoint").text, kind == typed.end() ? "model" : kind->second.text));
  Settings settings = told_by(file, known);
  // Another dataset makes what the file says about its own meaningless.
  const auto own = settings.find("dataset");
  const auto asked = typed.find("dataset");
  if (own != settings.end() && asked != typed.end() && own->second.text != asked->second.text) {
    std::erase_if(settings, [](const auto& s) { return s.first.starts_with("generated-"); });
  }
  for (const auto& [key, value] : typed) settings[key] = value;
  Fields field(settings);
  Options options;
  options.describe(field);
  field.finish(known);
  if (options.model.empty()) {
    raise(Fault::usage, "{} does not say what model it is; try: --model NAME --dataset NAME",
          file.origin());
  }
  const FoundModel model = find_model(options.model);
  options.data.suit(model.image_size(), model.family.channels, model.family.classes);
  if (options.isa != "auto") limit_isa(isa_by_name(options.isa));

  const auto data = options.data.open(options.split == "train", options.seed);
  const AugmentChain chain = options.data.chain(data->image_shape(), false);
  const Classification task(model.variant,
                            options.num_classes ? options.num_classes : data->classes(), {});
  const NetworkPlans plans(task, {.image = data->image_shape(),
                                  .eval_batch = options.eval_batch_size,
                                  .watch = {},
                                  .choices = options.choices});
  if (typed.contains("algorithms")) warn_of_idle_rules(plans, options.choices);
  Network network(plans, options.threads ? options.threads : available_cores());
  const State& state = network.state();
  copy_tensors(file, model_tensors(state.layout(), state.params(), state.stats()));
  Evaluator evaluator(task, *network.evaluation(), *data, chain, options.eval_batch_size,
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
