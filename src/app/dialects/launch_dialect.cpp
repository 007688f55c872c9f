#include "app/dialects/launch_dialect.h"

#include <algorithm>

#include "app/command.h"
#include "app/launch/launch_options.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/text/text.h"
#include "launch/mpirun.h"
#include "launch/supervisor.h"

namespace convoy {
namespace {

void describe_launch(Fields& field) { LaunchOptions().describe(field); }

LaunchOptions launch_options_of(const Settings& settings, const DialectPlan& plan) {
  Fields field(settings);
  LaunchOptions options;
  options.describe(field);
  field.finish(described(describe_launch));
  options.adopt(plan.options);
  return options;
}

}  // namespace

std::vector<Field> launch_fields() { return described(describe_launch); }

void settle_processes(DialectPlan& plan) {
  if (!plan.processes().from.empty()) plan.launch_options.clear();  // it was launched
  if (plan.launch_options.empty()) return;
  const RankPlacement placement = launch_options_of(plan.launch_options, plan).placement();
  int most = 0;
  for (const LaunchHost& host : placement.hosts) most = std::max(most, host.slots);
  plan.set_processes({.ranks = placement.ranks(),
                      .hosts = static_cast<int>(placement.hosts.size()),
                      .per_host = most});
}

std::string launch_topology(const DialectPlan& plan) {
  const LaunchOptions options = launch_options_of(plan.launch_options, plan);
  const RankPlacement placement = options.placement();
  return topology_table(placement, options.replicas_of(placement));
}

std::string launch_command(const DialectPlan& plan) {
  if (plan.launch_options.empty()) return "";
  const LaunchOptions options = launch_options_of(plan.launch_options, plan);
  const RankPlacement placement = options.placement();
  if (placement.ranks() == 1) return "";
  std::vector<std::string> words;
  for (const std::string& word : mpirun_words(placement, options.mpirun())) {
    words.push_back(in_shell(word));
  }
  return join(words, " ");
}

int launch_dialect(const DialectPlan& plan, const std::vector<std::string>& words) {
  Settings settings = plan.launch_options;
  std::string env = settings.contains("env") ? settings["env"].text : "";
  for (const std::string& name : plan.forwarded) env += (env.empty() ? "" : "\n") + name;
  if (!env.empty()) settings["env"] = {env, "command line"};
  const LaunchOptions options = launch_options_of(settings, plan);
  const RankPlacement placement = options.placement();
  if (options.print_topology) {
    show_text(topology_table(placement, options.replicas_of(placement)));
    std::fflush(stdout);
  }
  return supervise({.placement = placement,
                    .mpirun = mpirun_words(placement, options.mpirun()),
                    .program = fs::read_symlink("/proc/self/exe").string(),
                    .verb = words,
                    .output = options.output(),
                    .restarts = options.restarts,
                    .verbose = options.verbose,
                    .silence_s = options.silence_s()});
}

}  // namespace convoy
