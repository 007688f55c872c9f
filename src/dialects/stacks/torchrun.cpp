// PyTorch's torchrun around torchvision's training: processes on one host or several.

#include "dialects/dialect_plan.h"

namespace convoy {
namespace {

constexpr std::array rows{
    DialectRow{"nproc_per_node", "int>=1", "1", 'P', "--num-workers-per-hls of launch"},
    DialectRow{"nnodes", "int>=1", "1", 'P',
               "!hosts are named; try: convoy launch -H host:8,host:8 -- torchvision ..."},
    DialectRow{"node_rank", "int>=0", "0", 'P',
               "!hosts are named; try: convoy launch -H host:8,host:8"},
    DialectRow{"standalone", "flag", "false", 'P', "processes find each other by MPI"},
    DialectRow{"master_addr", "text", "127.0.0.1", 'P', "processes find each other by MPI"},
    DialectRow{"master_port", "int:1..65535", "29500", 'P', "processes find each other by MPI"},
    DialectRow{"rdzv_backend", "text", "static", 'P', "processes find each other by MPI"},
    DialectRow{"rdzv_endpoint", "text", "", 'P', "processes find each other by MPI"},
    DialectRow{"rdzv_id", "text", "", 'P', "processes find each other by MPI"},
    DialectRow{"max_restarts", "int>=0", "0", 'P', "--restarts of launch"},
    DialectRow{"log_dir", "path", "", 'P', "--log-dir of launch"},
};

void plan_torchrun(DialectPlan& plan) {
  if (plan.words().empty()) {
    plan.refuse("nproc_per_node",
                "processes of which program? try: convoy torchrun --nproc_per_node 8 train.py ...");
  }
  const auto count = static_cast<int>(plan.count("nproc_per_node"));
  if (!plan.processes().from.empty()) return;
  plan.set_processes({.ranks = count, .hosts = 1, .per_host = count});
  if (count == 1) return;
  plan.launch("num-workers-per-hls", std::to_string(count));
  if (plan.count("max_restarts") > 0) plan.launch("restarts", plan.text("max_restarts"));
  if (plan.has("log_dir")) plan.launch("log-dir", plan.text("log_dir"));
}

}  // namespace

Dialect torchrun_dialect() {
  return {.name = "torchrun",
          .summary = "PyTorch's launcher around torchvision's training",
          .programs = {
              {.name = "torchrun",
               .summary = "runs train.py in several processes",
               .rows = {rows},
               .example =
                   "convoy torchrun --nproc_per_node 8 train.py --batch-size=256 --model=resnet50",
               .wraps = "torchvision",
               .plan = plan_torchrun}}};
}

}  // namespace convoy
