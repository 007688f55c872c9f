// `convoy replay`: repeats one step of a run and names the first value that is not finite.

#include "train/replay/replay.h"

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/train/recorded_run.h"
#include "app/train/run.h"
#include "base/error.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "train/checkpoint/start_weights.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  int64_t step = 0;
  std::string data_dir;
  int threads = 0;
  bool json = false;
  bool quiet = false;

  void describe(Fields& field) {
    field("step", step, "the step to repeat, as the log counts: 1 is the first", at_least(0));
    field("data-dir", data_dir, "where the same data are by now; default: where they were");
    field("threads", threads, "threads that compute; 0: one for each core. Changes no result",
          between(0, 256), {"j"});
    field("json", json, "print one JSON object");
    field("quiet", quiet, "no progress on standard error", {}, {"q"});
  }
};

void describe(Fields& field) { Options().describe(field); }

class Warnings : public Listener {
 public:
  void on(const RunEvent& event) override {
    if (const auto* warning = std::get_if<Warning>(&event)) {
      show(stderr, "Warning: {}\n", warning->text);
    }
  }
};

// JSON has only finite numbers.
Json json_of(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json json_of(const ValueRange& range) {
  return {{"low", range.low},
          {"high", range.high},
          {"values", range.count},
          {"not_finite", range.others}};
}

Json json_of(const Replay& r) {
  Json object{{"step", r.step},       {"from", r.from},          {"repeated", r.repeated},
              {"lr", r.lr},           {"loss", json_of(r.loss)}, {"loss_scale", r.loss_scale},
              {"updated", r.updated}, {"samples", r.samples},    {"found", nullptr}};
  if (!r.found) return object;
  const NonFiniteValue& f = *r.found;
  Json inputs = Json::array();
  for (const auto& input : f.inputs) {
    Json one{{"from", input.from}, {"type", input.type}};
    one.update(json_of(input.range));
    inputs.push_back(std::move(one));
  }
  object["found"] = {{"value", f.kind()},
                     {"plan", f.plan},
                     {"op", f.op},
                     {"node", f.node},
                     {"output", f.output},
                     {"type", f.type},
                     {"range", json_of(f.range)},
                     {"inputs", std::move(inputs)},
                     {"samples", r.names},
                     {"samples_by_magnitude", f.by_magnitude}};
  return object;
}

std::string range_text(const ValueRange& range) {
  if (range.others == range.count) return "no finite value";
  return fmt::format("{:.6g} to {:.6g}{}", range.low, range.high,
                     range.others ? fmt::format(", {} not finite", range.others) : "");
}

void print(const Replay& r) {
  show("Step {}, repeated from {}{}: loss {:.6g}, learning rate {:.3e}{}, {} samples\n", r.step,
       r.from.empty() ? "the start of the run" : r.from,
       r.repeated ? fmt::format(" after {} steps", r.repeated) : "", r.loss, r.lr,
       r.loss_scale == 1 ? "" : fmt::format(", loss scale {:g}", r.loss_scale), r.samples.size());
  if (!r.found) {
    show("Every value is finite\n");
    return;
  }
  show("First: {}\n", r.found->line());
  show("  its finite values: {}\n", range_text(r.found->range));
  for (const auto& input : r.found->inputs) {
    show("  read from {} ({}): {}\n", input.from, input.type, range_text(input.range));
  }
  constexpr size_t most = 20;
  for (size_t i = 0; i < std::min(most, r.names.size()); ++i) {
    show("  {}: {}\n", r.found->by_magnitude ? "largest input" : "sample", r.names[i]);
  }
  if (r.names.size() > most) show("  and {} samples more\n", r.names.size() - most);
}

int run(const CommandLine& line) {
  need_words(line, {"RUN_DIR"});
  const Settings given = resolve(line, described(describe));
  Fields typed(given);
  Options options;
  options.describe(typed);
  typed.finish();
  if (options.step == 0) {
    raise(Fault::usage,
          "replay needs --step; try: the step of a nonfinite event in {}/metrics.jsonl",
          line.words[0]);
  }
  const RunDir dir = RunDir::look(line.words[0]);
  const std::vector<Field> known = described(describe_saved);
  Settings settings = saved_settings(dir, known);
  settings["threads"] = {std::to_string(options.threads), "replay"};
  if (!options.data_dir.empty()) settings["data-dir"] = {options.data_dir, "replay"};
  RunConfig config =
      std::move(reading_record(dir, [&] { return described_run(settings, known); }).config);
  const ClassNames trained = trained_classes(dir);
  config.data.known = {.names = trained.empty() ? start_classes(config) : trained,
                       .map = {},
                       .whose = trained.empty() ? config.init_from : "this run",
                       .only_same = trained.empty()};
  apply_isa(config);
  Warnings warnings;
  ProgressLine progress("step", !options.quiet && !options.json);
  const Replay replay = replay_step(config, dir, options.step, warnings,
                                    [&](int64_t done, int64_t all) { progress.at(done, all); });
  progress.clear();
  if (options.json) {
    show_text(plain_json(json_text(json_of(replay)) + "\n"));
  } else {
    print(replay);
  }
  return 0;
}

}  // namespace

CommandDef replay_command() {
  return {.name = "replay",
          .summary = "repeat one step of a run and find the first value that is not finite",
          .usage = "replay RUN_DIR --step N [options]",
          .details =
              R"(Starts from the newest checkpoint before the step, repeats the steps between, and
runs the step itself node by node: the first value that is not finite, the op
that made it, the ranges of what the op read, and the samples. Nothing is
written; any number of threads and a run of several processes give the same.

  convoy replay runs/resnet50-imagenet --step 1234
)",
          .describe = describe,
          .run = run};
}

}  // namespace convoy
