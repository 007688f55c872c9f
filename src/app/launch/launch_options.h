// The options of `convoy launch`, with the names of mpirun, poprun and Habana's launcher.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/fields.h"
#include "launch/mpirun.h"
#include "launch/rank_output.h"
#include "launch/rank_process.h"
#include "launch/topology.h"

namespace convoy {

struct LaunchOptions {
  int num_instances = 0, num_replicas = 0, workers_per_host = 0, ipus_per_replica = 1;
  std::string hosts, hostfile;
  bool print_topology = false;

  int threads_per_rank = 0;
  Binding bind_to = Binding::core;
  bool numa_aware = false, oversubscribe = false;

  std::string interface, prefix, env, mpi_global_args, mpi_local_args;
  int ssh_port = 0;
  bool kubernetes_run = false;

  bool tag_output = false, verbose = false;
  int only_output_from_instance = -1;
  std::string log_dir;

  int restarts = 0;
  double stall_timeout = 0;  // 0: the verb's default

  // Declares and reads the options and refuses contradictions. Habana's environment variables
  // replace options that were not given.
  void describe(Fields& field);

  Binding bind() const { return numa_aware ? Binding::numa : bind_to; }
  RankPlacement placement() const;
  // The replicas of each instance; empty if their number was not given.
  std::vector<int> replicas_of(const RankPlacement& placement) const;
  MpirunOptions mpirun() const;
  // After this time without output to the launcher a rank counts as lost. It is longer than the
  // ranks' own timeout, because the ranks report more details.
  double silence_s() const { return stall_s() + 10; }
  OutputOptions output() const;

  // Adopts options of the verb: --threads gives the threads per rank, --replicas the number for the
  // table. Contradictions are usage errors.
  void adopt(const Settings& verb);
  // Calls `pass` with key, value and spelling of every option that belongs to the verb. `ranks`:
  // the number of ranks of the job.
  using Pass = std::function<void(const std::string&, const std::string&, const std::string&)>;
  void pass_on(int ranks, const Pass& pass) const;
  // If another mpirun has started this process: applies here what the options ask of ranks, that is
  // environment variables and, if `field` has an option about cores, a share of the cores.
  void apply_here(const Fields& field) const;

 private:
  int verb_replicas_ = 0;
  double verb_stall_s_ = 0;

  void describe_ranks(Fields& field);
  void describe_hosts(Fields& field);
  void describe_failures(Fields& field);
  void take_environment();
  double stall_s() const;
  std::vector<LaunchHost> host_list() const;
};

}  // namespace convoy
