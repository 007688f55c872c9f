#include "train/update/weight_average.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace convoy {
namespace {

// The epoch of the update that follows `step` updates.
int64_t epoch_of(int64_t step, const EpochPlan& plan) {
  return static_cast<int64_t>(std::floor(plan.epochs_after(step) + 1e-9));
}

// torchvision's adjustment: a lower decay for large batches, rare updates and few epochs.
double adjusted(double decay, int steps, const WeightAverage::Site& site) {
  const double by = static_cast<double>(site.global_batch) * steps / site.epochs;
  return 1 - std::min(1.0, (1 - decay) * by);
}

}  // namespace

void WeightAverage::describe(Fields& field) {
  field("model-ema", model_ema,
        "torchvision's moving average of the weights: --ema-decay 0.99998 --ema-steps 32 "
        "--ema-adjust --ema-phase start --ema-warmup copy, each unless given");
  if (model_ema) {
    ema_decay = 0.99998;
    ema_steps = 32;
    ema_adjust = true;
    ema_phase = EmaPhase::start;
    ema_warmup = EmaWarmup::copy;
  }
  field("ema-decay", ema_decay,
        "keep a moving average of the weights and evaluate it; what remains of it at each update, "
        "the first being a copy; 0: none",
        between(0, 1), {"model-ema-decay"});
  field("ema-steps", ema_steps, "optimiser steps between two updates of that average", at_least(1),
        {"model-ema-steps"});
  field("ema-adjust", ema_adjust,
        "the decay becomes 1 - (1 - decay) * global batch * ema-steps / epochs, 0 at least, so "
        "that one number suits all batches and lengths");
  field("ema-phase", ema_phase,
        "end: the average is updated after the last of every --ema-steps steps of the run; start: "
        "after the first of every --ema-steps steps of an epoch");
  field(
      "ema-warmup", ema_warmup,
      "copy: while the learning rate warms up, an update copies the weights; ramp: update n (from "
      "0) uses (1 + n) / (10 + n) where that is less than the decay; none: the decay from the "
      "second update on");
  for (const char* key : {"ema-steps", "ema-adjust", "ema-phase", "ema-warmup"}) {
    if (ema_decay == 0 && field.idle(key, {"ema-decay", "model-ema"})) {
      raise(Fault::usage, "--{} means nothing without --ema-decay; try: --ema-decay 0.999", key);
    }
  }
  if (model_ema && ema_decay == 0) {
    raise(Fault::usage, "--model-ema with --ema-decay 0 averages nothing; try: leave one out");
  }
  if (ema_decay == 1)
    raise(Fault::usage, "--ema-decay 1 would never leave the first weights; try: 0.999");
  describe_swa(field);
}

void WeightAverage::describe_swa(Fields& field) {
  field("swa-start-epoch", swa_start_epoch,
        "stochastic weight averaging: the mean of the weights at the ends of all epochs after "
        "this one, whole or not, is evaluated, and at the end written to weights/swa.safetensors; "
        "the "
        "running statistics of batch norm are averaged likewise, not measured anew. Three quarters "
        "of the epochs is usual; -1: none",
        at_least(-1));
  field("swa-every-epochs", swa_every_epochs,
        "with --swa-start-epoch: only the end of every Nth epoch", at_least(1e-6));
  field("swa-lr", swa_lr,
        "with --swa-start-epoch: the learning rate from there on, not scaled with the batch; 0: as "
        "the schedule has it",
        at_least(0));
  for (const char* key : {"swa-every-epochs", "swa-lr"}) {
    if (!swa() && field.idle(key, {"swa-start-epoch"})) {
      raise(Fault::usage, "--{} means nothing without --swa-start-epoch; try: --swa-start-epoch 8",
            key);
    }
  }
  if (swa() && ema_decay > 0) {
    raise(Fault::usage,
          "a moving average (--ema-decay {}) and --swa-start-epoch {} are two averages, and a run "
          "has one; try: leave --ema-decay out",
          ema_decay, swa_start_epoch);
  }
}

void WeightAverage::check(const Site& site) const {
  if (ema_warmup == EmaWarmup::copy && !model_ema && site.warmup_epochs == 0) {
    raise(Fault::usage,
          "--ema-warmup copy lasts as long as --warmup-epochs, which is 0; try: --ema-warmup ramp");
  }
  if (ema_adjust && site.epochs == 0) {
    raise(Fault::usage, "--ema-adjust needs --epochs, which is 0; try: --no-ema-adjust");
  }
  if (ema_adjust && adjusted(ema_decay, ema_steps, site) == 0) {
    raise(Fault::usage,
          "--ema-adjust makes of --ema-decay {} a decay of 0, and the average is the weights; try: "
          "--no-ema-adjust",
          ema_decay);
  }
  if (!swa()) return;
  if (site.epochs == 0) {
    raise(Fault::usage, "--swa-start-epoch needs --epochs, which is 0; try: --epochs 10");
  }
  const double last = std::floor(site.epochs / swa_every_epochs + 1e-9) * swa_every_epochs;
  if (last <= swa_start_epoch + 1e-9) {
    raise(Fault::usage,
          "--swa-start-epoch {} leaves nothing to average: of {} epochs the last to end with "
          "--swa-every-epochs {} ends at {}; try: --swa-start-epoch {}",
          swa_start_epoch, site.epochs, swa_every_epochs, last, std::floor(site.epochs * 0.75));
  }
}

bool WeightAverage::is_due(int64_t steps, const EpochPlan& plan) const {
  if (swa()) {
    const auto periods = [&](int64_t n) {
      return std::floor(plan.epochs_after(n) / swa_every_epochs + 1e-9);
    };
    return periods(steps) > periods(steps - 1) &&
           periods(steps) * swa_every_epochs > swa_start_epoch + 1e-9;
  }
  if (ema_decay == 0) return false;
  if (ema_phase == EmaPhase::end) return steps % ema_steps == 0;
  const int64_t newest = steps - 1;
  return (newest - plan.steps_through(epoch_of(newest, plan))) % ema_steps == 0;
}

double WeightAverage::decay(int64_t averaged, const Site& site) const {
  const auto n = static_cast<double>(averaged);
  if (averaged == 0) return 0;
  if (swa()) return n / (n + 1);
  const double settled = ema_adjust ? adjusted(ema_decay, ema_steps, site) : ema_decay;
  return ema_warmup == EmaWarmup::ramp ? std::min(settled, (1 + n) / (10 + n)) : settled;
}

bool WeightAverage::starts_over(int64_t steps, const EpochPlan& plan, const Site& site) const {
  return ema_warmup == EmaWarmup::copy &&
         static_cast<double>(epoch_of(steps - 1, plan)) < site.warmup_epochs;
}

double WeightAverage::rate(int64_t step, const EpochPlan& plan, double scheduled) const {
  const bool changes = swa() && swa_lr > 0 && plan.epochs_after(step) >= swa_start_epoch - 1e-9;
  return changes ? swa_lr : scheduled;
}

}  // namespace convoy
