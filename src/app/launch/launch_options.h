// The options of `convoy launch`, under the names of mpirun, of poprun and of Habana's launcher.
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
  double stall_timeout = 0;  // 0: the verb's own

  // Declares, reads and refuses what cannot be meant together. Habana's environment variables stand
  // in for options that were not given.
  void describe(Fields& field);

  Binding bind() const { return numa_aware ? Binding::numa : bind_to; }
  RankPlacement placement() const;
  // How many each instance has; empty where nobody said how many there are.
  std::vector<int> replicas_of(const RankPlacement& placement) const;
  MpirunOptions mpirun() const;
  // After how long a rank that says nothing to the launcher is lost: later than the other ranks
  // notice, who know more about it.
  double silence_s() const { return stall_s() + 10; }
  OutputOptions output() const;

  // What was said behind the verb: --threads is a number of threads per rank, --replicas one for
  // the table. Two different ones are a usage error.
  void adopt(const Settings& verb);
  // Calls with key, value, and how it was typed, for every option that is really the verb's.
  // `ranks` is their number in the job.
  using Pass = std::function<void(const std::string&, const std::string&, const std::string&)>;
  void pass_on(int ranks, const Pass& pass) const;
  // Where another mpirun has started this process: does here what options ask of ranks. Environment
  // variables, and a share of the cores where `field` says that one of the options about cores was
  // given.
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
