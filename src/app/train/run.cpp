#include "app/train/run.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "app/eval/run_report.h"
#include "app/signals.h"
#include "app/train/run_listeners.h"
#include "base/process.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "base/threads/core_grant.h"
#include "base/threads/cores.h"
#include "dist/world.h"
#include "launch/rank_process.h"
#include "models/model.h"
#include "report/jsonl.h"
#include "report/results_csv.h"
#include "report/run_log.h"
#include "report/sessions.h"
#include "report/summary_csv.h"
#include "tensor/f16_overflow.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"
#include "train/run/peer_terms.h"
#include "train/taken_algorithms.h"
#include "train/trainer.h"
#include "version.h"

namespace convoy {

void apply_isa(const RunConfig& config) {
  limit_isa(config.isa);
  saturate_f16(config.precision.saturates);
}

void warn_of_idle_rules(const NetworkPlans& plans, const Choices& choices) {
  for (const std::string& line : idle_rules(plans, choices)) {
    show(stderr, "Warning: {}\n", line);
  }
}

Settings settings_of_first(const Settings& mine) {
  World& world = World::get();
  if (world.size() == 1) return mine;
  // Fields are separated by zero bytes, which no key, value or origin contains.
  std::string text;
  for (const auto& [key, setting] : mine) {
    for (const std::string& part : {key, setting.text, setting.origin}) {
      text += part;
      text += '\0';
    }
  }
  const std::vector<std::string> parts = split(world.broadcast(0, text), '\0');
  Settings all;
  for (size_t i = 0; i + 2 < parts.size(); i += 3) all[parts[i]] = {parts[i + 1], parts[i + 2]};
  return all;
}

void refuse_other_options(const Settings& typed, const std::set<std::string>& own) {
  World& world = World::get();
  if (world.size() == 1) return;
  std::map<std::string, std::string> texts;
  for (const auto& [key, setting] : typed) {
    if (!setting.is_default() && !own.contains(dashed(key))) texts[dashed(key)] = setting.text;
  }
  const std::optional<PeerDifference> found = peer_difference(world, texts);
  if (!found) return;
  const auto shown = [&](const std::optional<std::string>& value) {
    return value ? fmt::format("--{} {}", found->key, one_line(*value)) : "no --" + found->key;
  };
  raise(Fault::usage, "{} was given {}, rank 0 {}; try: the same options for every rank",
        found->who, shown(found->value), shown(found->of_first));
}

Settings resolve_together(const CommandLine& line, const std::vector<Field>& known) {
  refuse_other_options(line.settings);
  const bool reads = World::get().rank() == 0;
  return settings_of_first(reads ? resolve(line, known) : Settings{});
}

ClassNames names_of_first(const ClassNames& mine) {
  World& world = World::get();
  if (world.size() == 1) return mine;
  const std::string text = world.broadcast(0, join(mine, std::string_view("\0", 1)));
  return text.empty() ? ClassNames{} : split(text, '\0');
}

HostShare share_machines() {
  World& world = World::get();
  if (world.size() == 1) return {};
  std::string mine = fmt::format("{};", static_cast<int>(isa_level()));
  for (const int core : allowed_cores()) mine += fmt::format(" {}", core);
  const std::vector<std::string> all = world.all_gather(mine);
  Isa lowest = isa_level();
  int here = 0, on_our_cores = 0;
  for (int rank = 0; rank < world.size(); ++rank) {
    const std::vector<std::string> parts = split(all[static_cast<size_t>(rank)], ';');
    lowest = std::min(lowest, static_cast<Isa>(std::stoi(parts[0])));
    if (world.host_of(rank) != world.host_of(world.rank())) continue;
    ++here;
    if (parts[1] == split(mine, ';')[1]) ++on_our_cores;
  }
  if (lowest < isa_level()) limit_isa(lowest);
  return {here, granted_cores() ? 1 : on_our_cores};
}

namespace {

// Notes whether the run's first event was emitted: from then on its folder is kept.
class Beginning : public Listener {
 public:
  explicit Beginning(bool& has_begun) : has_begun_(has_begun) {}
  void on(const RunEvent& event) override {
    if (std::holds_alternative<RunStart>(event)) has_begun_ = true;
  }

 private:
  bool& has_begun_;
};

// Rank 0 makes missing files of a set that can be made; the others wait for it.
void make_absent_data(const RunConfig& config) {
  World& world = World::get();
  if (world.rank() == 0) {
    const auto tell = [&](const std::string& text) {
      if (!config.quiet) show(stderr, "{}: {}\n", config.data.dataset_name(), text);
    };
    config.data.make_absent_files(
        [&](const std::string& folder) { tell("there is no " + folder + ", making it"); }, tell);
  }
  world.broadcast(0, std::string());
}

bool detects(const RunConfig& config) { return bool(find_model(config.model).variant.boxes); }

int train_in(const RunConfig& config, const RunDir& dir, bool& has_begun) {
  const std::atomic<int>& stop = watch_signals(World::started_by_mpi());
  World& world = World::get();
  const bool tells = world.rank() == 0;
  if (tells) tell_run_dir(dir.path().string());
  const std::vector<MetricDef> metrics = config.metrics();
  Listeners listeners;
  if (tells) {
    listeners.add(std::make_unique<Beginning>(has_begun));
    add_console(config, dir, metrics, listeners);
    listeners.add(summary_csv_listener(dir.summary(), metrics));
    if (detects(config)) listeners.add(results_csv_listener(dir.results()));
    listeners.add(run_log_listener(dir.log()));
    listeners.add(sessions_listener(dir.sessions()));
    add_side_listeners(config, dir, listeners);
    // Last, because its run_end line says that the run is over: all other logs must be complete by
    // then.
    listeners.add(jsonl_listener(dir.metrics()));
  }
  if (tells && !dir.locked()) {
    listeners.on(
        Warning{"this file system has no locks: take care that no second process works in " +
                dir.path().string()});
  }
  std::map<std::string, double> seconds;
  PassWatch watch{.dump = {}, .without = config.without, .print = {}, .seconds = nullptr};
  if (tells) watch.dump = config.dump;
  watch.print = [](const std::string& title, const std::string& text) {
    show_text(shown("-- {}\n", title) + text);
  };
  if (config.time_passes && tells) watch.seconds = &seconds;
  Trainer trainer(config, dir, listeners, stop, watch, &world);
  for (const auto& [pass, took] : seconds) show("{:>16} {:8.3f} s\n", pass, took);
  return trainer.run();
}

// After the run, whose memory is free again. Nothing that goes wrong here changes its result.
void report_end(const RunConfig& config, const RunDir& dir) {
  if (World::get().rank() != 0 || !detects(config) || config.eval_epochs <= 0) return;
  if (config.quiet && !config.outputs.plots) return;
  report_detections(
      dir,
      {.threads = config.thread_count(), .quiet = config.quiet, .plots = config.outputs.plots});
}

}  // namespace

int run_training(const RunConfig& config, const RunDir& dir) {
  bool has_begun = false;
  try {
    make_absent_data(config);
    const int code = train_in(config, dir, has_begun);
    if (code == 0) report_end(config, dir);
    return code;
  } catch (...) {
    if (!has_begun) dir.take_back();  // for example no data or wrong weights
    throw;
  }
}

void write_environment(const fs::path& path) {
  nlohmann::ordered_json env;
  env["convoy"] = version;
  env["build"] = build_type;
  env["compiler"] = compiler;
  env["onednn"] = onednn::version();
  env["host"] = host_name();
  env["cpu"] = cpu_model();
  env["cores"] = available_cores();
  env["memory_bytes"] = memory_limit_bytes();
  env["isa"] = name(isa_level());
  write_atomically(path, json_text(env, 2) + "\n", Fault::checkpoint);
}

}  // namespace convoy
