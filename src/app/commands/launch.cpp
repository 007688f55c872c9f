// `convoy launch`: runs a verb on many processes.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "app/command.h"
#include "app/launch/launch_options.h"
#include "app/options.h"
#include "base/error.h"
#include "base/process.h"
#include "base/show.h"
#include "base/threads/cores.h"
#include "dist/world.h"
#include "launch/core_share.h"
#include "launch/mpirun.h"
#include "launch/supervisor.h"

namespace convoy {
namespace {

void describe(Fields& field) { LaunchOptions().describe(field); }

// The parsed command line of the verb, so that errors are reported here and not by every rank.
struct Verb {
  const CommandDef* command = nullptr;
  std::vector<std::string> words;
  CommandLine line;

  // Whether it writes checkpoints to continue from.
  bool is_run() const { return words[0] == "train" || words[0] == "resume"; }
  bool has(std::string_view key) const {
    return find_field(described(command->describe), key) != nullptr;
  }
  void refuse_crowd(int processes) const {
    if (processes == 1 || command->shared) return;
    raise(Fault::usage, "convoy {} works in one process, not in {}; try: train, resume or eval",
          words[0], processes);
  }
  // Passes an option of launch on to the verb, which must have it and must not set it too.
  void pass(const std::string& key, const std::string& value, const std::string& typed) {
    if (!has(key)) raise(Fault::usage, "{} means nothing for {}; try: without it", typed, words[0]);
    const auto own = line.settings.find(key);
    if (own != line.settings.end() && own->second.text != value) {
      raise(Fault::usage, "{} and {} --{} {} differ; try: only one of them", typed, words[0], key,
            own->second.text);
    }
    if (own == line.settings.end()) words.push_back("--" + key + "=" + value);
  }
};

Verb read_verb(const std::vector<std::string>& words) {
  const std::vector<CommandDef>& all = command_catalog();
  const auto found = std::ranges::find(all, words[0], &CommandDef::name);
  if (found == all.end() || found->words_end_options) {
    raise(Fault::usage, "{} is no verb to launch; try: convoy launch -np 2 -- train ...", words[0]);
  }
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (asked_help(rest)) {
    raise(Fault::usage, "--help of a launched verb; try: convoy {} --help", words[0]);
  }
  Verb verb{&*found, words, parse_for(*found, rest)};
  if (verb.is_run() && verb.line.settings.contains("verify-resume")) {
    raise(Fault::usage, "--verify-resume starts processes of its own; try: without launch");
  }
  return verb;
}

bool is_here(const std::string& host) { return host == "localhost" || host == host_name(); }

// Ranks on other hosts check their cores themselves.
void refuse_too_many_here(const RankPlacement& placement, const LaunchOptions& options) {
  for (const LaunchHost& host : placement.hosts) {
    if (!is_here(host.name)) continue;
    share_of_cores(cpu_places(allowed_cores()), {.index = 0,
                                                 .count = host.slots,
                                                 .usable = available_cores(),
                                                 .per_rank = options.threads_per_rank,
                                                 .numa = options.bind() == Binding::numa,
                                                 .oversubscribe = options.oversubscribe});
  }
}

// The hosts of a job started by another mpirun, in the order of ranks. A host that reappears after
// another one is listed twice.
RankPlacement placement_of(World& world) {
  const std::vector<std::string> names = world.all_gather(world.host_name());
  RankPlacement placement;
  for (int rank = 0; rank < world.size(); ++rank) {
    const bool is_next = rank == 0 || world.host_of(rank) != world.host_of(rank - 1);
    if (is_next) placement.hosts.push_back({names[static_cast<size_t>(rank)], 0});
    ++placement.hosts.back().slots;
  }
  return placement;
}

// Options that the other mpirun has already decided may be repeated, but not changed.
void refuse_what_was_decided(const Fields& field, const LaunchOptions& options,
                             const RankPlacement& placement) {
  constexpr std::array used{"kubernetes-run",      "num-instances",    "num-replicas",
                            "num-workers-per-hls", "ipus-per-replica", "print-topology",
                            "threads-per-rank",    "bind-to",          "numa-aware",
                            "oversubscribe",       "interface",        "env",
                            "stall-timeout"};
  for (const Field& each : field.all()) {
    if (field.given(each.key) && std::ranges::find(used, each.key) == used.end()) {
      raise(Fault::usage, "--{} means nothing with --kubernetes-run; try: an option of that mpirun",
            each.key);
    }
  }
  if (options.num_instances && options.num_instances != placement.ranks()) {
    raise(Fault::usage, "--num-instances {}, but {} were started; try: mpirun -np {}",
          options.num_instances, placement.ranks(), options.num_instances);
  }
  std::map<std::string, int> here;
  for (const LaunchHost& host : placement.hosts) here[host.name] += host.slots;
  for (const auto& [host, ranks] : here) {
    if (options.workers_per_host && options.workers_per_host != ranks) {
      raise(Fault::usage,
            "--num-workers-per-hls {}, but {} has {}; try: mpirun --map-by ppr:{}:node",
            options.workers_per_host, host, ranks, options.workers_per_host);
    }
  }
}

// If another mpirun has started this process as a rank: runs the verb in this process.
int run_in_place(const Fields& field, LaunchOptions& options, Verb& verb) {
  if (!World::started_by_mpi()) {
    raise(Fault::usage, "--kubernetes-run, but no mpirun has started this; try: without it");
  }
  World& world = World::get();
  const RankPlacement placement = placement_of(world);
  refuse_what_was_decided(field, options, placement);
  options.adopt(verb.line.settings);
  options.apply_here(field);
  if (options.print_topology && world.rank() == 0) {
    show_text(topology_table(placement, options.replicas_of(placement)));
    std::fflush(stdout);
  }
  options.pass_on(world.size(), [&](const auto&... option) { verb.pass(option...); });
  verb.refuse_crowd(world.size());
  const std::vector<std::string> rest(verb.words.begin() + 1, verb.words.end());
  const CommandLine line = parse_for(*verb.command, rest);
  warn_of_overruled(line);
  return verb.command->run(line);
}

int run(const CommandLine& typed) {
  const std::vector<Field> known = described(describe);
  Fields field(resolve(typed, known));
  LaunchOptions options;
  options.describe(field);
  field.finish(known);
  if (typed.words.empty() && !options.print_topology) {
    raise(Fault::usage, "no verb to launch; try: convoy launch -np 2 -- train ...");
  }
  std::optional<Verb> verb;
  if (!typed.words.empty()) verb = read_verb(typed.words);
  if (options.kubernetes_run) {
    if (!verb) raise(Fault::usage, "--kubernetes-run without a verb; try: -- train ...");
    return run_in_place(field, options, *verb);
  }
  if (World::started_by_mpi()) {
    raise(Fault::usage,
          "launch starts an mpirun, and one has started this already; try: --kubernetes-run, or "
          "mpirun convoy VERB without launch");
  }
  const RankPlacement placement = options.placement();
  if (verb) options.adopt(verb->line.settings);
  if (verb) refuse_too_many_here(placement, options);
  if (options.only_output_from_instance >= placement.ranks()) {
    raise(Fault::usage,
          "--only-output-from-instance {}: there are instances 0 to {}; try: one of them",
          options.only_output_from_instance, placement.ranks() - 1);
  }
  if (options.print_topology) {
    show_text(topology_table(placement, options.replicas_of(placement)));
    std::fflush(stdout);
    if (!verb) return 0;
  }
  options.pass_on(placement.ranks(), [&](const auto&... option) { verb->pass(option...); });
  verb->refuse_crowd(placement.ranks());
  if (options.restarts && !verb->is_run()) {
    raise(Fault::usage, "--restarts means nothing for {}; try: without it", verb->words[0]);
  }
  return supervise({.placement = placement,
                    .mpirun = mpirun_words(placement, options.mpirun()),
                    .program = fs::read_symlink("/proc/self/exe").string(),
                    .verb = verb->words,
                    .output = options.output(),
                    .restarts = options.restarts,
                    .verbose = options.verbose,
                    .silence_s = options.silence_s()});
}

}  // namespace

CommandDef launch_command() {
  return {.name = "launch",
          .summary = "run a verb on many processes, here and on other hosts",
          .usage = "launch [options] [--] VERB [its options]",
          .details =
              R"(Starts the verb as several processes (instances) through Open MPI's mpirun, divides
the cores of each host between them, shows what they print, and leaves with their
exit code. A replica is a slice of the batch; instances share the replicas out, and
however many there are, the weights come out the same.

  convoy launch -np 2 -- train --replicas 4 --config cifar10/resnet20
  convoy launch --num-replicas 16 --num-instances 8 --print-topology       only the table
  convoy launch -H n1:2,n2:2 --num-replicas 8 -- train --config demo       two hosts
  convoy launch --hostfile hosts.txt --restarts 3 --log-dir logs -- resume runs/demo

Other hosts are reached by ssh without a password, and have the same program and
files under the same paths. A line of a hostfile: n1 slots=2. Ranks are numbered by
host. Rank 0's standard output appears as it stands; everything else has
"[rank 3 host n17]" in front.

Ctrl-C, SIGTERM or SIGHUP, here or at mpirun or at all processes of the job, has all
ranks save one checkpoint and stop (exit 75); one more, a second later or after,
kills them. A rank that dies or stops answering is named, and all leave (exit 7);
with --restarts the run goes on from its last checkpoint.

mpirun convoy VERB ... and srun --mpi=pmix convoy VERB ... work as well, without
restarts and without dividing the cores unless CONVOY_BIND=core is set. There mpirun
itself kills all ranks a second after a SIGTERM: stop such a run by SIGUSR1.
)",
          .basics =
              "num-instances hosts host-file num-replicas threads-per-rank bind-to "
              "oversubscribe env restarts stall-timeout log-dir tag-output verbose "
              "print-topology",
          .describe = describe,
          .shared = true,  // for --kubernetes-run; otherwise launch starts the ranks itself
          .run = run,
          .words_end_options = true};
}

}  // namespace convoy
