// Habana's ResNet-50 in Keras: the launcher demo_resnet_keras and the trainer
// resnet_ctl_imagenet_main. The launcher fills in the usual numbers of LARS, and starts workers.

#include <fmt/core.h>

#include <cmath>

#include "base/text/text.h"
#include "config/value.h"
#include "dialects/dialect_plan.h"
#include "dialects/habana_rows.h"
#include "launch/hosts.h"

namespace convoy {
namespace {

constexpr std::array launcher{
    DialectRow{"num_workers_per_hls", "int>=1", "1", 'P',
               "--num-workers-per-hls of launch: workers of each host"},
    DialectRow{"kubernetes_run", "truthy", "", 'P',
               "another mpirun has started the workers; none is started here"},
};

constexpr std::array trainer{
    DialectRow{"data_dir dd", "path", "/data/tensorflow_datasets/imagenet/tf_records/", 'P',
               "--data-dir {}"},
    DialectRow{"model_dir md", "path", "/tmp/resnet", 'P', "the run's folder, --output and --name"},
    DialectRow{"clean", "bool", "false", 'P', "the run in model_dir is removed first"},
    DialectRow{"train_epochs te", "int>=1", "1", 'P', "--epochs {}"},
    DialectRow{"epochs_between_evals ebe", "int>=1", "1", 'P', "--eval-epochs {}"},
    DialectRow{"batch_size bs", "int>=1", "256", 'P',
               "--batch-size; with a distribution strategy --global-batch-size"},
    DialectRow{"run_eagerly", "bool", "false", 'H',
               "the whole network is compiled before the first step"},
    DialectRow{"distribution_strategy ds", "off|hpu", "off", 'P',
               "hpu: the batch is that of all workers"},
    DialectRow{"fp16_implementation", "keras|graph_rewrite", "keras", 'H',
               "there is one implementation"},
    DialectRow{"training_dataset_cache", "bool", "false", 'P', "--dataset-cache {}"},
    DialectRow{"enable_xla", "bool", "false", 'H', "Convoy fuses operations itself"},
    DialectRow{"log_steps", "int>=1", "100", 'P', "--log-steps {}"},
    DialectRow{"enable_eager", "bool", "false", 'H',
               "the whole network is compiled before the first step"},
    DialectRow{"skip_eval", "bool", "false", 'P', "--eval-epochs 0"},
    DialectRow{"set_learning_phase_to_train", "bool", "true", 'H',
               "training and evaluation have plans of their own"},
    DialectRow{"explicit_gpu_placement", "bool", "false", 'H', "Convoy computes on the CPU"},
    DialectRow{"use_trivial_model", "bool", "false", 'P',
               "!there is no trivial model; try: --set model=cifar_resnet8"},
    DialectRow{"report_accuracy_metrics", "bool", "true", 'P', "accuracy is always counted"},
    DialectRow{"use_tensor_lr", "bool", "true", 'H', "the learning rate is an input of every step"},
    DialectRow{"lr_schedule", "piecewise|polynomial|constant", "piecewise", 'P',
               "--lr-schedule {}"},
    DialectRow{"enable_tensorboard", "bool", "false", 'P', "--tensorboard {}"},
    DialectRow{"train_steps", "int>=1", "", 'P', "--epoch-steps {}"},
    DialectRow{"profile_steps", "ints*2", "", 'P', "--profile-steps {}"},
    DialectRow{"batchnorm_spatial_persistent", "bool", "true", 'H', "there is no cuDNN"},
    DialectRow{"enable_get_next_as_optional", "bool", "false", 'H', "there are no iterators"},
    DialectRow{"enable_checkpoint_and_export", "bool", "false", 'P',
               "--checkpoint-epochs 1 --checkpoint-keep 10"},
    DialectRow{"tpu", "text", "", 'H', "Convoy computes on the CPU"},
    DialectRow{"steps_per_loop", "int>=1", "50", 'P', "a loop; the host is there after every step"},
    DialectRow{"use_tf_while_loop", "bool", "true", 'H', "there is no loop on a device"},
    DialectRow{"optimizer", "SGD|LARS", "SGD", 'P', "--optimizer"},
    DialectRow{"label_smoothing", "number:0..1", "0", 'P', "--label-smoothing {}"},
    DialectRow{"bf16_config_path", "path", "common/bf16_config/full.json", 'S', "--bf16-lists"},
    DialectRow{"global_seed", "int>=0", "", 'P', "--seed {}"},
    DialectRow{"use_tf_function", "bool", "true", 'H',
               "the whole network is compiled before the first step"},
    DialectRow{"single_l2_loss_op", "bool", "false", 'P', "--single-l2-loss-op"},
    DialectRow{"cache_decoded_image", "bool", "false", 'P',
               "--dataset-cache true: pictures are kept as they are encoded"},
    DialectRow{"base_learning_rate", "number>=0", "0.1", 'P', "--lr, or --base-lr of 256 images"},
    DialectRow{"use_distributed_eval", "bool", "false", 'P',
               "the workers always share the evaluation"},
    DialectRow{"use_keras_mixed_precision", "bool", "false", 'S',
               "--precision 16.32 is a mixed policy"},
    DialectRow{"keras_applications_model",
               "ResNet50|ResNet101|ResNet152|ResNet50V2|ResNet101V2|ResNet152V2", "", 'P',
               "--model keras_resnet..."},
    DialectRow{"horovod_hierarchical_allreduce", "bool", "false", 'P',
               "the exchange is always two-level"},
    DialectRow{"weight_decay", "number>=0", "1e-4", 'P', "--weight-decay {}"},
    DialectRow{"end_learning_rate", "number>=0", "", 'P', "--min-lr of the polynomial"},
    DialectRow{"lars_epsilon", "number>=0", "0", 'P', "--lars-epsilon; 0 is Keras's 1e-7"},
    DialectRow{"warmup_epochs", "number>=0", "", 'P', "--warmup-epochs of the polynomial"},
    DialectRow{"momentum", "number:0..1", "0.9", 'P', "--momentum of LARS; SGD's is 0.9"},
};

constexpr double images = 1281167;

void plan_batch(DialectPlan& plan) {
  const bool is_strategy = plan.text("distribution_strategy") == "hpu";
  if (is_strategy && plan.on("use_horovod")) {
    plan.refuse("distribution_strategy", "and --use_horovod exclude each other; try: one of them");
  }
  if (is_strategy && !plan.on("experimental_preloading")) {
    plan.refuse("distribution_strategy",
                "needs preloading; try: without --experimental_preloading=False");
  }
  plan.need_parallel(is_strategy || plan.on("use_horovod"),
                     "--use_horovod or --distribution_strategy hpu");
  const std::string batch = plan.text("batch_size");
  plan.set(is_strategy ? "global-batch-size" : "batch-size", batch);
  plan.explain("batch_size", is_strategy
                                 ? fmt::format("--global-batch-size {}: of all workers", batch)
                                 : "--batch-size " + batch);
}

double global_batch(const DialectPlan& plan) {
  const auto batch = static_cast<double>(plan.count("batch_size"));
  return plan.text("distribution_strategy") == "hpu" ? batch : batch * plan.processes().ranks;
}

// P and the warm-up of a polynomial whose rate was not given, by the batch.
struct UsualRate {
  double rate, warmup;
};
UsualRate usual_rate(double batch) {
  if (batch < 16384) return {10, 5};
  return batch < 32768 ? UsualRate{25, 5} : UsualRate{31.2, 25};
}

void plan_polynomial(DialectPlan& plan) {
  const UsualRate usual = usual_rate(global_batch(plan));
  const bool is_given = plan.given("base_learning_rate");
  const double rate = is_given ? plan.number("base_learning_rate") : usual.rate;
  plan.set("lr", rate);
  plan.set("poly-lr-decay-power", "2");
  plan.set("poly-lr-extra-steps", "1");
  plan.set("min-lr", plan.has("end_learning_rate") ? plan.text("end_learning_rate") : "1e-4");
  plan.set("warmup-epochs",
           plan.has("warmup_epochs") ? plan.number("warmup_epochs") : usual.warmup);
  plan.explain("base_learning_rate", fmt::format("--lr {}", rate));
  plan.explain("warmup_epochs", fmt::format("--warmup-epochs {}", plan.text("warmup_epochs")));
  if (!is_given)
    plan.note(fmt::format("without --base_learning_rate the peak is {} for this batch", rate));
}

void plan_rate(DialectPlan& plan) {
  const std::string schedule = plan.text("lr_schedule");
  if (schedule == "polynomial") return plan_polynomial(plan);
  const bool is_constant = schedule == "constant";
  plan.set("base-lr", is_constant ? plan.text("base_learning_rate") : "0.1");
  plan.set("lr-batch", "256");
  if (is_constant) return;
  plan.explain("base_learning_rate",
               "nothing, as there: the piecewise schedule has 0.1 for every 256 images");
  plan.explain("warmup_epochs", "nothing, as there: the piecewise schedule warms up for 5 epochs");
  plan.set("piecewise-epochs", "30,60,80");
  plan.set("piecewise-factors", "0.1,0.01,0.001");
  plan.set("piecewise-boundary", "left");
  plan.set("warmup-epochs", "5");
  plan.set("warmup-kind", "replace");
}

void plan_optimizer(DialectPlan& plan) {
  const bool is_lars = plan.text("optimizer") == "LARS", single = plan.on("single_l2_loss_op");
  plan.set("optimizer", is_lars ? "lars" : "keras-sgd");
  plan.explain("optimizer", is_lars ? "--optimizer lars" : "--optimizer keras-sgd --momentum 0.9");
  plan.set("momentum", is_lars ? plan.text("momentum") : "0.9");
  if (is_lars) {
    const double epsilon = plan.number("lars_epsilon");
    plan.set("lars-epsilon", epsilon > 0 ? epsilon : 1e-7);
    plan.explain("single_l2_loss_op", "nothing, as there: LARS has no L2 in its loss");
    plan.drop("single-l2-loss-op");
    return;
  }
  if (plan.has("keras_applications_model") && !single) {
    plan.set("weight-decay", "0");
    plan.explain("weight_decay",
                 "nothing, as there: models of keras.applications have no regulariser");
  } else if (single) {
    plan.set("single-l2-loss-op", "true");
  } else {
    plan.set("weight-decay-form", "square");
    plan.set("bias-weight-decay", plan.text("weight_decay"));
  }
}

void plan_trainer(DialectPlan& plan) {
  const std::string keras = plan.text("keras_applications_model");
  plan.set("model", keras.empty() ? "habana_keras_resnet50" : "keras_" + small_letters(keras));
  plan_tensorflow_pictures(plan, 0);
  plan.set("epoch-tail", "drop");
  plan_habana(plan, plan.text("data_dir"));
  plan_batch(plan);
  plan_rate(plan);
  plan_optimizer(plan);
  if (plan.on("skip_eval")) plan.set("eval-epochs", "0");
  if (!plan.on("enable_checkpoint_and_export")) plan.set("checkpoint-epochs", "0");
  plan.continues = plan.on("enable_checkpoint_and_export");
  if (plan.on("cache_decoded_image")) plan.set("dataset-cache", "true");
  const double steps = std::floor(images / global_batch(plan));
  plan.explain("steps_per_loop",
               fmt::format("a loop of {} steps; the host is there after every step",
                           std::min(plan.number("steps_per_loop"), steps)));
  if (plan.given("bf16_config_path") && plan.text("dtype") == "bf16") {
    const std::string path = plan.text("bf16_config_path");
    const bool is_full = path.ends_with("full.json"), is_basic = path.ends_with("basic.json");
    plan.set("bf16-lists", is_full ? "full" : is_basic ? "basic" : path);
  }
  if (plan.given("profile_steps")) {
    const std::vector<std::string> range = plan.list("profile_steps");
    if (std::stod(range[0]) < 0 || std::stod(range[1]) < std::stod(range[0])) {
      plan.refuse("profile_steps", "is not FIRST,LAST; try: --profile_steps 5,8");
    }
  }
}

// LARS's numbers, where they were not given.
void fill_lars(DialectPlan& plan) {
  if (plan.text("optimizer") != "LARS") return;
  const bool is_single = plan.count("num_workers_per_hls") == 1;
  plan.fill("base_learning_rate", is_single ? "2.5" : "9.5", "launcher");
  plan.fill("warmup_epochs", "3", "launcher");
  plan.fill("lr_schedule", "polynomial", "launcher");
  plan.fill("label_smoothing", "0.1", "launcher");
  plan.fill("weight_decay", "0.0001", "launcher");
  plan.fill("single_l2_loss_op", "true", "launcher");
  for (const char* key : {"label_smoothing", "weight_decay"}) plan.set(key, plan.text(key));
  plan.set("lr-schedule", plan.text("lr_schedule"));
}

// The file by which Habana's library without HCCL found the workers; Convoy does not read it.
void plan_hcl(DialectPlan& plan, const std::string& hosts) {
  const std::string api = plan.variable("HABANA_HCCL_COMM_API");
  if (api.empty() || plan.variable_on("HABANA_HCCL_COMM_API")) return;
  const std::string port = plan.variable("HCL_PORT"), workers = plan.text("num_workers_per_hls");
  const bool counts = hosts.empty() || plan.on("horovod_hierarchical_allreduce");
  std::string ranks;
  for (const std::string& host : split(hosts, ',')) {
    for (int64_t i = 0; i < plan.count("num_workers_per_hls"); ++i) {
      ranks += fmt::format("{}\"{}\"", ranks.empty() ? "" : ", ", host);
    }
  }
  plan.hcl_json =
      fmt::format("{{\"HCL_PORT\": {}, {}}}\n", port.empty() ? "53432" : port,
                  counts ? "\"HCL_COUNT\": " + workers : "\"HCL_RANKS\": [" + ranks + "]");
  const std::string path = plan.variable("HCL_CONFIG_PATH"), home = plan.variable("HOME");
  plan.hcl_path = !path.empty() ? path
                                : fmt::format("{}/tmp/hcl_config_{}.json", home.empty() ? "" : home,
                                              plan.processes().ranks);
  plan.note("HABANA_HCCL_COMM_API is off: " + plan.hcl_path +
            " is written, and Convoy does not need it");
}

// As the launcher's mpirun line has them.
void plan_hosts(DialectPlan& plan, const std::string& hosts) {
  const std::string network = plan.variable("MPI_TCP_INCLUDE"),
                    socket = plan.variable("HCCL_SOCKET_IFNAME");
  const std::string port = plan.variable("DOCKER_SSHD_PORT"), prefix = plan.variable("MPI_ROOT");
  plan.launch("hosts", hosts);
  plan.launch("ssh-port", port.empty() ? "3022" : port);
  if (!network.empty() || !socket.empty())
    plan.launch("interface", network.empty() ? socket : network);
  if (!prefix.empty()) plan.launch("prefix", prefix);
}

void plan_launcher(DialectPlan& plan) {
  fill_lars(plan);
  const auto workers = static_cast<int>(plan.count("num_workers_per_hls"));
  const std::string hosts = plan.variable("MULTI_HLS_IPS");
  if (plan.processes().from.empty()) {
    DialectProcesses all{.per_host = workers};
    if (!hosts.empty()) all.hosts = static_cast<int>(parse_hosts(hosts, "MULTI_HLS_IPS").size());
    all.ranks = all.hosts * workers;
    plan.set_processes(all);
    if (all.ranks > 1 && !plan.on("kubernetes_run")) {
      plan.launch("num-workers-per-hls", std::to_string(workers));
      if (!hosts.empty()) plan_hosts(plan, hosts);
    }
  }
  plan_hcl(plan, hosts);
  plan_trainer(plan);
}

}  // namespace

Dialect keras_dialect() {
  return {.name = "keras",
          .summary = "Habana's ResNet-50 in Keras: demo_resnet_keras, resnet_ctl_imagenet_main",
          .programs = {
              {.name = "demo_resnet_keras",
               .summary = "the launcher: fills in the numbers of LARS, and starts the workers",
               .manners = Manners::absl,
               .rows = {launcher, trainer, habana_rows},
               .variables = habana_variables,
               .example =
                   "convoy keras -dt bf16 -dlit bf16 --use_horovod --num_workers_per_hls 8 -te 40 "
                   "-ebe 40 --optimizer LARS -bs 256",
               .plan = plan_launcher},
              {.name = "resnet_ctl_imagenet_main",
               .summary = "the trainer alone, also under mpirun",
               .manners = Manners::absl,
               .rows = {trainer, habana_rows},
               .variables = habana_variables,
               .example = "mpirun -np 8 convoy keras resnet_ctl_imagenet_main -dt bf16 -dlit bf16 "
                          "--use_horovod -te 40 -bs 256",
               .plan = plan_trainer}}};
}

}  // namespace convoy
