// `convoy resume`: the same run goes on.

#include <algorithm>

#include "app/command.h"
#include "app/inference.h"
#include "app/options.h"
#include "app/run.h"
#include "app/run_weights.h"
#include "base/error.h"
#include "base/show.h"
#include "config/config_file.h"
#include "dist/world.h"
#include "report/finished.h"
#include "train/start_weights.h"
#include "train/weights_metadata.h"

namespace convoy {
namespace {

// What may differ between the processes of one run: nothing that changes a result.
struct Overrides {
  int threads = 0;
  bool pin = false;
  bool shard_optimizer = false;
  bool quiet = false;
  double stall_timeout = 0;
  int64_t trace_steps = 0;
  std::string class_map;
  bool accept_changed_options = false;

  void describe(Fields& field) {
    field.section("What may differ from before");
    field("threads", threads, "threads that compute; 0: as before. Changes no result",
          between(0, 256), {"j"});
    field("pin", pin,
          "each thread stays on a core of its own; neither --pin nor --no-pin: as before");
    field("shard-optimizer", shard_optimizer,
          "each process holds its share of the optimiser's buffers alone; neither this nor "
          "--no-shard-optimizer: as before",
          {}, {"rts"});
    field("stall-timeout", stall_timeout,
          "seconds after which a silent process counts as lost, 2 to 86400; 0: as before",
          between(0, 86400));
    field("trace-steps", trace_steps, "write a trace of the first N steps from here on; 0: none",
          at_least(0));
    field("class-map", class_map,
          "a file of lines `name in the data = name in the run`, for classes whose folders were "
          "renamed since");
    field("accept-changed-options", accept_changed_options,
          "go on although args.yml tells other options than the checkpoint was trained with; the "
          "result is that of neither");
    field("quiet", quiet, "print only warnings, the accuracy and the last line", {}, {"q"});
  }
};

void describe(Fields& field) { Overrides().describe(field); }

void describe_saved(Fields& field) {
  std::string config;
  bool verify = false;
  int kills = 5;
  describe_config(field, config);
  field("verify-resume", verify, "");
  field("verify-kills", kills, "");
  RunConfig::describe_all(field);
}

// Whatever is wrong with the record is the run's trouble, not that of the command line.
template <class Read>
auto reading_record(const RunDir& dir, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.fault() != Fault::usage) throw;
    const std::string why = error.what();
    raise(Fault::checkpoint, "the options of the run cannot be used: {}; try: the {} it began with",
          why.substr(0, why.find("; try: ")), one_line(dir.args().string()));
  }
}

Settings saved_settings(const RunDir& dir, const std::vector<Field>& known) {
  Settings settings = reading_record(dir, [&] { return load_record(dir.args().string(), known); });
  const auto is_default = [](const auto& entry) { return entry.second.is_default(); };
  if (std::ranges::none_of(settings, is_default)) {
    raise(Fault::checkpoint,
          "{} does not tell which options were given ({}: [...]): it is of an older convoy, or was "
          "changed; try: the program that began this run",
          one_line(dir.args().string()), record_key);
  }
  return settings;
}

// The run as these settings describe it.
RunConfig described_run(const Settings& settings, const std::vector<Field>& known) {
  Fields field(settings);
  std::string recipe;
  bool verify = false;
  int kills = 0;
  describe_config(field, recipe);
  field("verify-resume", verify, "");
  field("verify-kills", kills, "");
  RunConfig config;
  config.describe(field);
  field.finish(known);
  return config;
}

// The classes that the run's newest sound checkpoint was trained with; none: there is no
// checkpoint.
ClassNames trained_classes(const RunDir& dir) {
  std::vector<RunWeights> all;
  try {
    all = checkpoint_weights(dir.path(), "model");
  } catch (const Error&) {
    return {};
  }
  for (auto weights = all.rbegin(); weights != all.rend(); ++weights) {
    try {
      const WeightFile file = open_weights(weights->path);
      return told_class_names(file.metadata(), file.origin());
    } catch (const Error&) {  // the trainer will tell what is wrong with it
    }
  }
  return {};
}

int run(const CommandLine& line) {
  need_words(line, {"RUN_DIR"});
  const Settings given = resolve(line, described(describe));
  Fields typed(given);
  Overrides overrides;
  overrides.describe(typed);
  typed.finish();
  // Rank 0 opens the run and reads its options; the others need not even see the folder.
  World& world = World::get();
  refuse_other_options(given, {"threads", "pin", "quiet"});
  const bool first = world.rank() == 0;
  const RunDir dir = first ? RunDir::open(line.words[0]) : RunDir::of_another(line.words[0]);
  const bool is_over = first && say_if_finished(dir);
  if (!world.broadcast(0, std::string(is_over ? "over" : "")).empty()) return 0;
  const std::vector<Field> known = described(describe_saved);
  const Settings recorded = settings_of_first(first ? saved_settings(dir, known) : Settings{});
  Settings settings = recorded;
  for (const auto& [key, value] : given) {
    const bool is_as_before = (key == "threads" && !overrides.threads) ||
                              (key == "stall-timeout" && overrides.stall_timeout == 0) ||
                              key == "class-map" || key == "accept-changed-options";
    if (!is_as_before) settings[key] = value;
  }
  RunConfig config = [&] {
    try {
      return described_run(settings, known);
    } catch (const Error&) {  // what fails without what was typed too is the record's trouble
      reading_record(dir, [&] { return described_run(recorded, known); });
      throw;
    }
  }();
  config.accept_changed_options = overrides.accept_changed_options;
  const ClassNames trained = names_of_first(first ? trained_classes(dir) : ClassNames{});
  const bool begins = trained.empty();
  config.data.known = {
      .names = begins ? names_of_first(first ? start_classes(config) : ClassNames{}) : trained,
      .map = overrides.class_map.empty() ? ClassMap{} : read_class_map(overrides.class_map),
      .whose = begins ? config.init_from : "this run",
      .only_same = begins};
  apply_isa(config);
  const HostShare share = share_machines();
  config.share_host(share.processes, share.on_our_cores);
  config.step_shape(world.rank(), world.size());
  std::error_code none;
  if (first && !fs::exists(dir.env(), none)) write_environment(dir.env());
  return run_training(config, dir);
}

}  // namespace

CommandDef resume_command() {
  return {
      .name = "resume",
      .summary = "go on with a run that was stopped or killed",
      .usage = "resume RUN_DIR [options]",
      .details = R"(Goes on from the newest sound checkpoint with the options the run was started
with. Every file of the run ends up as if nothing had happened, times aside.

  convoy resume runs/cifar_resnet20-cifar-10
)",
      .describe = describe,
      .shared = true,
      .run = run};
}

}  // namespace convoy
