// `convoy resume`: continues a run.

#include <algorithm>
#include <array>

#include "app/command.h"
#include "app/network/run_weights.h"
#include "app/options.h"
#include "app/train/recorded_run.h"
#include "app/train/run.h"
#include "base/error.h"
#include "base/show.h"
#include "config/config_file.h"
#include "config/value.h"
#include "dist/world.h"
#include "report/finished.h"
#include "train/checkpoint/start_weights.h"
#include "train/checkpoint/weights_metadata.h"

namespace convoy {
namespace {

// The options that may differ from the record: locations and the length of the run, but no other
// option that changes a result.
struct Overrides {
  std::string data_dir;
  double epochs = 0;
  int64_t max_bad = 0;
  int threads = 0;
  bool pin = false;
  bool shard_optimizer = false;
  std::string memory;
  Recompute recompute = Recompute::off;
  bool quiet = false, plain = false;
  double stall_timeout = 0;
  int64_t trace_steps = 0;
  std::string class_map;
  bool accept_changed_options = false;
  std::string on_nonfinite;

  void describe(Fields& field) {
    field.section("What may differ from before");
    field("data-dir", data_dir, "where the same data are by now; default: where they were");
    field("epochs", epochs,
          "a longer run: the learning rate follows the schedule of the new length from the next "
          "step on; 0: as before",
          at_least(0), {"train-epochs"});
    field("max-bad", max_bad,
          "pictures of an epoch that may be broken from here on; without it: as before",
          at_least(0));
    field("threads", threads, "threads that compute; 0: as before. Changes no result",
          between(0, 256), {"j"});
    field("pin", pin,
          "each thread stays on a core of its own; neither --pin nor --no-pin: as before");
    field("shard-optimizer", shard_optimizer,
          "each process holds its share of the optimiser's buffers alone; neither this nor "
          "--no-shard-optimizer: as before",
          {}, {"rts"});
    field("memory", memory, "what the run may take from here on; without it: as before");
    field("recompute", recompute,
          "which activations are computed again from here on; without it: as before. Changes no "
          "result");
    field("stall-timeout", stall_timeout,
          "seconds after which a silent process counts as lost, 2 to 86400; 0: as before",
          between(0, 86400));
    field("trace-steps", trace_steps, "write a trace of the first N steps from here on; 0: none",
          at_least(0));
    field("class-map", class_map,
          "a file of lines `name in the data = name in the run`, for classes whose folders were "
          "renamed since");
    field("on-nonfinite", on_nonfinite,
          "stop or skip: what happens from here on when the loss or a gradient of a step is not "
          "finite; without it: as before",
          one_of({"stop", "skip"}));
    field("accept-changed-options", accept_changed_options,
          "go on although args.yml has other options than the checkpoint was trained with; the "
          "result is that of neither");
    field("quiet", quiet, "print only warnings, the accuracy and the last line", {}, {"q"});
    field("plain", plain, "print lines as in log.txt instead of a progress bar");
  }
};

void describe(Fields& field) { Overrides().describe(field); }

// Typed options that args.yml must record.
constexpr std::array remembered{"data-dir", "epochs", "max-bad", "on-nonfinite"};

// --epochs may only extend the run or repeat its length.
void expect_longer(double epochs, const Settings& recorded) {
  const auto text = [&](const char* key) {
    const auto found = recorded.find(key);
    return found == recorded.end() ? std::string() : found->second.text;
  };
  double before = 0;
  int64_t iterations = 0;
  if (parse_value(text("iterations"), iterations).empty() && iterations > 0) {
    raise(Fault::usage,
          "--epochs {}: this run is {} steps long (--iterations), not epochs; try: a new run with "
          "--init-from this one",
          epochs, iterations);
  }
  if (!parse_value(text("epochs"), before).empty() || epochs >= before) return;
  raise(Fault::usage,
        "--epochs {}: the run has {} epochs, and can only become longer; try: more than that, or "
        "stop it with SIGTERM where you like",
        epochs, before);
}

// If --max-steps has ended the run, more epochs do not give more steps.
void expect_not_at_its_limit(double epochs, const Settings& recorded, const RunDir& dir) {
  const auto found = recorded.find("max-steps");
  int64_t limit = 0;
  if (found == recorded.end() || !parse_value(found->second.text, limit).empty() || limit == 0) {
    return;
  }
  const std::optional<FinishedRun> end = finished_run(dir);
  if (!end || end->step < limit) return;
  raise(Fault::usage,
        "--epochs {}: the run has ended at step {}, its --max-steps, and takes no more; try: a new "
        "run with --init-from {}",
        epochs, end->step, dir.path().string());
}

// Records in `config` which options were typed anew: as intended differences, and for args.yml.
void note_changes(const Settings& given, const Settings& recorded, const RunDir* dir,
                  const std::vector<Field>& fields, RunConfig& config) {
  for (const auto& [key, setting] : recorded) {
    if (setting.origin == resume_origin) config.changed_on_purpose.insert(key);
  }
  std::vector<Field> changed;
  for (const char* key : remembered) {
    if (!given.contains(key)) continue;
    config.changed_on_purpose.insert(key);
    if (const Field* field = find_field(fields, key)) changed.push_back(*field);
  }
  if (dir && !changed.empty()) {
    config.amended_args = amend_args(read_file(dir->args(), Fault::checkpoint), changed);
  }
}

int run(const CommandLine& line) {
  need_words(line, {"RUN_DIR"});
  const Settings given = resolve(line, described(describe));
  Fields typed(given);
  Overrides overrides;
  overrides.describe(typed);
  typed.finish();
  // Rank 0 opens the run and reads its options; other ranks may not even have the folder.
  World& world = World::get();
  refuse_other_options(given, {"threads", "pin", "quiet", "plain"});
  const bool first = world.rank() == 0;
  const RunDir dir = first ? RunDir::open(line.words[0]) : RunDir::of_another(line.words[0]);
  const bool extends = overrides.epochs > 0;
  const bool is_over = first && !extends && say_if_finished(dir);
  if (!world.broadcast(0, std::string(is_over ? "over" : "")).empty()) return 0;
  const std::vector<Field> known = described(describe_saved);
  const Settings recorded = settings_of_first(first ? saved_settings(dir, known) : Settings{});
  if (extends) expect_longer(overrides.epochs, recorded);
  if (extends && first) expect_not_at_its_limit(overrides.epochs, recorded, dir);
  Settings settings = recorded;
  for (const auto& [key, value] : given) {
    const bool is_as_before = (key == "threads" && !overrides.threads) ||
                              (key == "epochs" && !extends) ||
                              (key == "stall-timeout" && overrides.stall_timeout == 0) ||
                              key == "class-map" || key == "accept-changed-options";
    if (!is_as_before) settings[key] = value;
  }
  auto [config, fields] = [&] {
    try {
      return described_run(settings, known);
    } catch (const Error& error) {
      if (error.fault() != Fault::usage) throw;
      // If the record alone fails too, the record is at fault.
      reading_record(dir, [&] { return described_run(recorded, known); });
      throw;
    }
  }();
  config.accept_changed_options = overrides.accept_changed_options;
  note_changes(given, recorded, first ? &dir : nullptr, fields, config);
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
  convoy resume runs/flowers --data-dir /mnt/flowers     the data were moved
  convoy resume runs/flowers --epochs 60                 the run becomes longer
)",
      .describe = describe,
      .shared = true,
      .run = run};
}

}  // namespace convoy
