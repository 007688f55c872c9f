#include "app/launch/launch_options.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/error.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/value.h"
#include "dist/replica_split.h"
#include "launch/rank_process.h"

namespace convoy {
namespace {

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

void need_variable(const std::string& name) {
  if (std::getenv(name.c_str())) return;
  raise(Fault::usage, "-x {}: there is no such environment variable here; try: -x {}=VALUE", name,
        name);
}

void set_variable(const std::string& name, const std::string& value) {
  ::setenv(name.c_str(), value.c_str(), 1);
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

}  // namespace

void LaunchOptions::describe_ranks(Fields& field) {
  field.section("How many");
  field("num-instances", num_instances,
        "processes; 0: as many as the hosts have slots, or one on each host", between(0, 4096),
        {"np", "n"});
  field("num-replicas", num_replicas,
        "replicas over all of them: --replicas of the verb; 0: as the verb or its recipe says",
        between(0, 65536));
  field("num-workers-per-hls", workers_per_host,
        "processes on each host, with a replica each unless --num-replicas says otherwise",
        between(0, 4096), {"num-workers-per-host"});
  field("ipus-per-replica", ipus_per_replica,
        "only 1: a replica is not divided over several processes", between(1, 1));
  field("print-topology", print_topology,
        "print which replica is in which process on which host; without a verb, nothing else");
  field.section("Cores");
  field("threads-per-rank", threads_per_rank,
        "threads of each process; 0: the cores of its host divided by the processes there",
        between(0, 256));
  field("bind-to", bind_to,
        "each process keeps to cores of its own, or to those of one NUMA node, or to none");
  field("numa-aware", numa_aware, "the same as --bind-to numa");
  field("oversubscribe", oversubscribe,
        "allow more processes than slots, and more threads than cores");
}

void LaunchOptions::describe_hosts(Fields& field) {
  field.section("Hosts");
  field("hosts", hosts, "hosts with their slots, as n1:2,n2:2; none: this host", {}, {"H", "host"});
  field("host-file", hostfile, "a file with a line n1 slots=2 for each host", {},
        {"hostfile", "machinefile"});
  field("ssh-port", ssh_port, "port of their ssh; 0: ssh's own choice", between(0, 65535));
  field("interface", interface,
        "network interfaces, or networks as 10.0.0.0/24, that ranks talk through");
  field("prefix", prefix, "where Open MPI is on the other hosts, if not where it is here");
  field("env", env,
        "an environment variable for all ranks, as NAME or NAME=VALUE, besides CONVOY_*, PATH and "
        "LD_LIBRARY_PATH",
        repeated(), {"x"});
  field("mpi-global-args", mpi_global_args, "more options for mpirun");
  field("mpi-local-args", mpi_local_args, "and those just before the program");
  field("kubernetes-run", kubernetes_run,
        "another mpirun has started this process and the other ones: run the verb in it. Beside it "
        "--num-instances and --num-workers-per-hls must be what was started; --num-replicas, "
        "--print-topology, those under Cores, --interface, --env and --stall-timeout hold");
}

void LaunchOptions::describe_failures(Fields& field) {
  field.section("Output");
  field("tag-output", tag_output, "[rank 0 host NAME] before rank 0's standard output too");
  field("only-output-from-instance", only_output_from_instance,
        "of the others show only errors; -1: show all", at_least(-1));
  field("log-dir", log_dir, "folder in which each rank has a log, rank-0.log and so on", {},
        {"output-filename"});
  field("verbose", verbose, "show mpirun's command line and what it says itself", {}, {"v", "vv"});
  field.section("Failures");
  field("restarts", restarts, "how often to go on from the last checkpoint after a rank was lost",
        at_least(0));
  field("stall-timeout", stall_timeout,
        "seconds of silence after which a rank is lost: --stall-timeout of the verb; 0: its own",
        at_least(0));
}

void LaunchOptions::describe(Fields& field) {
  describe_ranks(field);
  describe_hosts(field);
  describe_failures(field);
  if (!hosts.empty() && !hostfile.empty()) {
    raise(Fault::usage, "--hosts and --hostfile both name the hosts; try: one of them");
  }
  if (workers_per_host && num_instances) {
    raise(Fault::usage, "--num-instances and --num-workers-per-hls both count; try: one of them");
  }
  if (numa_aware && field.given("bind-to") && bind_to != Binding::numa) {
    raise(Fault::usage, "--numa-aware and --bind-to {} differ; try: one of them", word_of(bind_to));
  }
  for (const std::string& entry : split(env, '\n')) {
    if (!env.empty() && !is_variable_name(entry.substr(0, entry.find('=')))) {
      raise(Fault::usage, "-x {:?} is no environment variable; try: -x NAME or -x NAME=VALUE",
            one_line(entry));
    }
  }
  if (!kubernetes_run) take_environment();
}

void LaunchOptions::take_environment() {
  const std::string others = variable("MULTI_HLS_IPS");
  if (!hosts.empty() || !hostfile.empty() || others.empty()) return;
  hosts = others;
  if (interface.empty()) interface = variable("MPI_TCP_INCLUDE");
  if (prefix.empty()) prefix = variable("MPI_ROOT");
  if (ssh_port) return;
  const std::string port = variable("DOCKER_SSHD_PORT");
  ssh_port = 3022;
  if (!port.empty() && (!parse_value(port, ssh_port).empty() || ssh_port < 1 || ssh_port > 65535)) {
    raise(Fault::usage, "environment variable DOCKER_SSHD_PORT \"{}\" is no port", one_line(port));
  }
}

std::vector<LaunchHost> LaunchOptions::host_list() const {
  if (!hosts.empty()) return parse_hosts(hosts, "--hosts");
  if (!hostfile.empty()) return parse_hostfile(read_file(hostfile, Fault::usage), hostfile);
  return {{"localhost", 0}};
}

RankPlacement LaunchOptions::placement() const {
  std::vector<LaunchHost> list = host_list();
  int ranks = num_instances;
  if (workers_per_host) {
    for (LaunchHost& host : list) {
      if (host.slots && host.slots < workers_per_host && !oversubscribe) {
        raise(Fault::usage, "--num-workers-per-hls {}, but {} has {} slots; try: --oversubscribe",
              workers_per_host, host.name, host.slots);
      }
      host.slots = workers_per_host;
    }
    ranks = 0;
  }
  RankPlacement placement = place_ranks(list, ranks, oversubscribe);
  if (num_replicas && num_replicas < placement.ranks()) {
    raise(Fault::usage, "{} instances for {} replicas; try: --num-instances {}, or more replicas",
          placement.ranks(), num_replicas, num_replicas);
  }
  return placement;
}

std::vector<int> LaunchOptions::replicas_of(const RankPlacement& placement) const {
  int all = num_replicas ? num_replicas : verb_replicas_;
  if (!all && workers_per_host) all = placement.ranks();
  if (!all) return {};
  const ReplicaSplit split(all, placement.ranks());
  std::vector<int> counts;
  for (int rank = 0; rank < split.processes(); ++rank) counts.push_back(split.range(rank).count);
  return counts;
}

MpirunOptions LaunchOptions::mpirun() const {
  MpirunOptions options{.interface = interface,
                        .ssh_port = ssh_port,
                        .prefix = prefix,
                        .global = shell_words(mpi_global_args, "mpi-global-args"),
                        .local = shell_words(mpi_local_args, "mpi-local-args"),
                        .variables = RankSettings{bind(), threads_per_rank, oversubscribe,
                                                  std::clamp(stall_s() / 5, 0.2, 5.0)}
                                         .environment(),
                        .forwarded = forwarded_variables(environ),
                        .oversubscribe = oversubscribe};
  if (!interface.empty()) options.variables["CONVOY_INTERFACE"] = interface;
  for (const std::string& entry : split(env, '\n')) {
    if (entry.empty()) continue;
    const size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (equals != entry.npos) {
      options.variables[name] = entry.substr(equals + 1);
    } else {
      need_variable(name);
      options.forwarded.push_back(name);
    }
  }
  return options;
}

OutputOptions LaunchOptions::output() const {
  OutputOptions options{.tag_all = tag_output, .only_rank = {}, .log_dir = log_dir};
  if (only_output_from_instance >= 0) options.only_rank = only_output_from_instance;
  return options;
}

double LaunchOptions::stall_s() const {
  constexpr double usual = 60;  // the default in RunConfig
  return stall_timeout > 0 ? stall_timeout : verb_stall_s_ > 0 ? verb_stall_s_ : usual;
}

void LaunchOptions::adopt(const Settings& verb) {
  const auto read = [&](const char* key, auto value) {
    const auto typed = verb.find(key);
    return typed != verb.end() && parse_value(typed->second.text, value).empty() ? value : 0;
  };
  verb_replicas_ = read("replicas", 0);
  verb_stall_s_ = read("stall-timeout", 0.0);
  const int threads = read("threads", 0);
  if (threads && threads_per_rank && threads_per_rank != threads) {
    raise(Fault::usage, "--threads-per-rank {} and --threads {} differ; try: only one of them",
          threads_per_rank, threads);
  }
  if (threads) threads_per_rank = threads;
}

void LaunchOptions::pass_on(int ranks, const Pass& pass) const {
  if (num_replicas) {
    pass("replicas", std::to_string(num_replicas), fmt::format("--num-replicas {}", num_replicas));
  } else if (workers_per_host) {
    pass("replicas", std::to_string(ranks),
         fmt::format("--num-workers-per-hls {}", workers_per_host));
  }
  if (stall_timeout > 0) {
    const std::string seconds = format_value(stall_timeout);
    pass("stall-timeout", seconds, "--stall-timeout " + seconds);
  }
}

void LaunchOptions::apply_here(const Fields& field) const {
  for (const std::string& entry : split(env, '\n')) {
    if (entry.empty()) continue;
    const size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (equals != entry.npos) {
      set_variable(name, entry.substr(equals + 1));
    } else {
      need_variable(name);
    }
  }
  if (!interface.empty()) set_variable("CONVOY_INTERFACE", interface);
  constexpr std::array about_cores{"threads-per-rank", "bind-to", "numa-aware", "oversubscribe"};
  if (std::ranges::none_of(about_cores, [&](const char* key) { return field.given(key); })) return;
  set_variable("CONVOY_BIND", std::string(word_of(bind())));
  if (threads_per_rank) set_variable("CONVOY_THREADS_PER_RANK", std::to_string(threads_per_rank));
  if (oversubscribe) set_variable("CONVOY_OVERSUBSCRIBE", "1");
  take_share_of_cores();
}

}  // namespace convoy
