#include "app/run.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "app/signals.h"
#include "base/cores.h"
#include "base/process.h"
#include "launch/rank_process.h"
#include "report/console.h"
#include "report/jsonl.h"
#include "report/run_log.h"
#include "report/sessions.h"
#include "report/summary_csv.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"
#include "train/taken_algorithms.h"
#include "train/trainer.h"
#include "version.h"

namespace convoy {

void apply_isa(const RunConfig& config) {
  if (config.isa != "auto") limit_isa(isa_by_name(config.isa));
}

void warn_of_idle_rules(const NetworkPlans& plans, const Choices& choices) {
  for (const std::string& line : idle_rules(plans, choices)) {
    fmt::print(stderr, "Warning: {}\n", line);
  }
}

int run_training(const RunConfig& config, const RunDir& dir) {
  const std::atomic<int>& stop = watch_signals();
  tell_run_dir(dir.path().string());
  Listeners listeners;
  listeners.add(console_listener(console_options(config.quiet)));
  listeners.add(jsonl_listener(dir.metrics()));
  listeners.add(summary_csv_listener(dir.summary()));
  listeners.add(run_log_listener(dir.log()));
  listeners.add(sessions_listener(dir.sessions()));
  if (!dir.locked()) {
    listeners.on(
        Warning{"this file system has no locks: take care that no second process works in " +
                dir.path().string()});
  }
  std::map<std::string, double> seconds;
  PassWatch watch{.dump = config.dump, .without = config.without, .print = {}, .seconds = nullptr};
  watch.print = [](const std::string& title, const std::string& text) {
    fmt::print("-- {}\n{}", title, text);
  };
  if (config.time_passes) watch.seconds = &seconds;
  Trainer trainer(config, dir, listeners, stop, watch);
  for (const auto& [pass, took] : seconds) fmt::print("{:>16} {:8.3f} s\n", pass, took);
  return trainer.run();
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
  write_atomically(path, env.dump(2) + "\n", Fault::usage);
}

}  // namespace convoy
