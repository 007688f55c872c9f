// The combinations of options that a run refuses, and options of batch norm without use.

#include <algorithm>
#include <array>
#include <numeric>

#include "base/error.h"
#include "base/text/text.h"
#include "compile/compile.h"
#include "train/run/run_config.h"

namespace convoy {

// How a step is divided, and what its replicas share.
void RunConfig::check_step(Fields& field) const {
  const int64_t parts = static_cast<int64_t>(replicas) * accumulation;
  if (global_batch_size % parts != 0) {
    raise(Fault::usage,
          "--global-batch-size {} is no multiple of {} replicas x {} micro-batches; try: {}",
          global_batch_size, replicas, accumulation, (global_batch_size / parts + 1) * parts);
  }
  if (global_batch_size && field.given("batch-size") && batch_size * parts != global_batch_size) {
    raise(Fault::usage,
          "--batch-size {} x {} replicas x {} micro-batches is not --global-batch-size {}; try: "
          "leave one out",
          batch_size, replicas, accumulation, global_batch_size);
  }
  if (replica_mode == ReplicaMode::together && accumulation > 1) {
    raise(Fault::usage,
          "--replica-mode together cannot accumulate gradients; try: --replica-mode sequence");
  }
  if (sync_bn && field.given("bn-span") && bn_span != replicas) {
    raise(Fault::usage, "--sync-bn is --bn-span {}, not {}; try: leave one out", replicas, bn_span);
  }
  if (replicas % bn_span != 0) {
    raise(Fault::usage, "--bn-span {} does not divide {} replicas into groups; try: {}", bn_span,
          replicas, std::gcd(replicas, bn_span));
  }
  if (replica_mode != ReplicaMode::automatic && (bn_span > 1 || (sync_bn && replicas > 1)) &&
      field.idle("replica-mode", {"bn-span", "sync-bn"})) {
    raise(Fault::usage,
          "replicas that share batch norm run in step, not --replica-mode {}; try: leave it out",
          word_of(replica_mode));
  }
  if (replica_mode == ReplicaMode::together && exchange_precision == ExchangePrecision::bf16) {
    raise(Fault::usage,
          "--replica-mode together cannot round the gradients of each replica for "
          "--exchange-precision bf16; try: --replica-mode sequence");
  }
}

void RunConfig::check(Fields& field) {
  check_step(field);
  if (data.tail() == EpochTail::short_ && replicas * accumulation > 1) {
    raise(Fault::usage,
          "--epoch-tail short needs one replica and no accumulation; try: --epoch-tail carry");
  }
  if (stop.patience && eval_epochs == 0) {
    raise(Fault::usage, "--patience {} counts evaluations, but --eval-epochs is 0; try: 1",
          stop.patience);
  }
  if (steps_of_run() == 0 && epochs == 0)
    raise(Fault::usage,
          "neither --epochs nor --iterations or --max-steps: nothing to do; try: --epochs 10");
  average.check(average_site());
  mixing.check(step_shape().micro_batch);
  if (mixing.on() && stop.counts_training()) {
    raise(Fault::usage,
          "--best-metric {} asks for the one class of each image, and mixup and cutmix make images "
          "of several; try: --best-metric {}",
          stop.best_metric, stop.best_metric.substr(stop.best_metric.find('-') + 1));
  }
  if (stop.stop_at > 0 && eval_epochs == 0) {
    raise(Fault::usage, "--stop-at {} looks at evaluations, but --eval-epochs is 0; try: 1",
          stop.stop_at);
  }
  if (eval_epochs == 0 && field.idle("best-metric", {"eval-epochs"})) {
    raise(Fault::usage,
          "--best-metric chooses among evaluations, but --eval-epochs is 0; try: --eval-epochs 1");
  }
  if (mixing.on() && !class_weights.asked.empty()) {
    raise(Fault::usage,
          "--class-weights are for samples of one class, and mixup and cutmix make samples of "
          "several; try: one of them");
  }
  const bool is_of_mlperf = model == "ssd_resnet34" || model == "resnet50" ||
                            model.ends_with("_resnet50");  // as other programs define it
  if (outputs.mllog && !is_of_mlperf) {
    raise(Fault::usage,
          "--mllog: the rules 1.1.0 of MLPerf have resnet50 and ssd_resnet34, not {}; try: without "
          "it",
          model);
  }
  check_image_type(field);
  check_norms(field);
  if (!memory.empty()) parse_bytes(memory);
  cores();
  check_passes();
}

// Without 16-bit storage a stand-alone evaluation would see other images.
void RunConfig::check_image_type(Fields& field) {
  if (data.image_type == ImageType::fp32 || precision.dtype == FloatKind::bf16) return;
  if (field.idle("data-loader-image-type", {"precision", "dtype", "amp"})) {
    raise(Fault::usage,
          "--data-loader-image-type bf16 is for networks that store bf16; try: --precision 16.32 "
          "--dtype bf16");
  }
  data.image_type = ImageType::fp32;
}

void RunConfig::check_passes() const {
  const std::vector<std::string> passes = pass_names();
  for (const std::string& pass : dump) {
    if (pass != "all" && std::ranges::find(passes, pass) == passes.end()) {
      raise(Fault::usage, "--dump: there is no pass '{}'; there are: {}", pass, join(passes, ", "));
    }
  }
  const std::vector<std::string> optional = pass_names(true);
  for (const std::string& pass : without) {
    if (std::ranges::find(optional, pass) == optional.end()) {
      raise(Fault::usage, "--without: '{}' cannot be left out; only {} can", pass,
            join(optional, " and "));
    }
  }
}

// Recipe values that are dropped here must not take effect anywhere else.
void RunConfig::check_norms(Fields& field) {
  field.needs("sync-bn", replicas > 1, "--replicas above 1", {"replicas"});
  if (replicas == 1) sync_bn = false;
  field.needs("bn-update", accumulation > 1, "--gradient-accumulation-count above 1",
              {"gradient-accumulation-count"});
  if (accumulation == 1) bn_update = BnUpdate::micro_batch;
  constexpr std::array of_batch_norm{"bn-span",   "sync-bn",     "bn-momentum",
                                     "bn-update", "bn-variance", "freeze-statistics"};
  const auto is_given = [&](const char* key) { return field.given(key); };
  if (std::ranges::none_of(of_batch_norm, is_given)) return;
  const TaskSite site{.model = find_model(model), .options = model_options};
  const bool has = !used_graph(site).stats.empty();
  for (const char* key : of_batch_norm) {
    field.needs(key, has, "batch norm in the network", {"model", "norm"});
  }
  if (has) return;
  bn_span = 1;
  sync_bn = false;
  bn_update = BnUpdate::micro_batch;
  bn_variance = BnVariance::unbiased;
  tuning.statistics = FineTuning().statistics;
}

}  // namespace convoy
