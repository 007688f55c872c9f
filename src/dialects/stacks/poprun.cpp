// Graphcore's poprun, around its CNN training: replicas and instances on hosts.

#include <fmt/core.h>

#include "base/text/text.h"
#include "dialects/dialect_plan.h"

namespace convoy {
namespace {

constexpr std::array rows{
    DialectRow{"v vv verbose", "flag", "false", 'P', "--verbose of launch"},
    DialectRow{"host H", "text", "", 'P', "--hosts of launch"},
    DialectRow{"numa-aware", "bool=", "0", 'P', "--numa-aware of launch"},
    DialectRow{"num-replicas", "int>=1", "1", 'P', "--num-replicas of launch"},
    DialectRow{"num-instances", "int>=1", "1", 'P', "--num-instances of launch"},
    DialectRow{"ipus-per-replica", "int>=1", "1", 'P',
               "!a replica is not divided over processes; try: 1"},
    DialectRow{"print-topology", "bool=", "no", 'P', "--print-topology of launch"},
    DialectRow{"mpi-global-args", "text", "", 'P', "--mpi-global-args of launch"},
    DialectRow{"mpi-local-args", "text", "", 'P', "--mpi-local-args of launch"},
    DialectRow{"vipu-server-host", "text", "", 'H', "there are no partitions of devices"},
    DialectRow{"vipu-server-timeout", "int>=0", "", 'H', "there are no partitions of devices"},
    DialectRow{"vipu-partition", "text", "", 'H', "there are no partitions of devices"},
    DialectRow{"vipu-cluster", "text", "", 'H', "there are no partitions of devices"},
    DialectRow{"reset-partition", "bool=", "yes", 'H', "there are no partitions of devices"},
    DialectRow{"update-partition", "bool=", "no", 'H', "there are no partitions of devices"},
    DialectRow{"only-output-from-instance", "int>=0", "", 'P',
               "--only-output-from-instance of launch"},
    DialectRow{"executable-cache-path", "path", "", 'H',
               "nothing is compiled that a file could keep"},
};

void plan_poprun(DialectPlan& plan) {
  const auto replicas = static_cast<int>(plan.count("num-replicas"));
  const auto instances = static_cast<int>(plan.count("num-instances"));
  if (replicas % instances != 0) {
    plan.refuse("num-instances", fmt::format("does not divide {} replicas", replicas));
  }
  std::string hosts = plan.text("host");
  while (hosts.ends_with(',')) hosts.pop_back();
  const DialectProcesses& now = plan.processes();
  if (now.from.empty()) {
    const int count = hosts.empty() ? 1 : static_cast<int>(split(hosts, ',').size());
    plan.set_processes(
        {.ranks = instances, .hosts = count, .per_host = (instances + count - 1) / count});
    plan.launch("num-instances", std::to_string(instances));
    plan.launch("num-replicas", std::to_string(replicas));
    if (!hosts.empty()) plan.launch("hosts", hosts);
    for (const char* key : {"mpi-global-args", "mpi-local-args", "only-output-from-instance"}) {
      if (plan.has(key)) plan.launch(key, plan.text(key));
    }
    if (plan.on("numa-aware")) plan.launch("numa-aware", "true");
    if (plan.on("print-topology")) plan.launch("print-topology", "true");
    if (plan.on("v")) plan.launch("verbose", "true");
  }
  plan.inner_replicas = replicas;
  if (plan.words().empty()) plan.verb = "launch";  // only the table
  if (plan.words().empty() && !plan.on("print-topology")) {
    plan.refuse("num-instances",
                "and which program? try: convoy poprun ... train.py --config NAME");
  }
}

}  // namespace

Dialect poprun_dialect() {
  return {.name = "poprun",
          .summary = "Graphcore's launcher around its CNN training",
          .programs = {
              {.name = "poprun",
               .summary = "runs train.py in several instances that share the replicas",
               .rows = {rows},
               .example =
                   "convoy poprun --num-instances 8 --num-replicas 16 --ipus-per-replica 1 python "
                   "train.py --config mk2_resnet50_mlperf_pod16_bs20 --data-dir DIR",
               .wraps = "cnns",
               .plan = plan_poprun}}};
}

}  // namespace convoy
