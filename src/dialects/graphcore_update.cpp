// Optimisers and schedules of Graphcore's CNN training.

#include "base/error.h"
#include "dialects/graphcore_case.h"

namespace convoy {
namespace {

void plan_decay(DialectPlan& plan, const GraphcoreRun& which) {
  const bool is_lars = which.optimiser == "LARS";
  const double usual = is_lars ? 0 : which.usual.weight_decay;
  const double decay = plan.has("weight-decay") ? plan.number("weight-decay") : usual;
  plan.set("weight-decay", decay);
  plan.explain("weight-decay", fmt::format("--weight-decay {}", decay));
  if (is_lars) {
    plan.set("lars-weight-decay", plan.has("lars-weight-decay") ? plan.number("lars-weight-decay")
                                                                : which.usual.weight_decay);
  }
  if (decay == 0) return;
  if (which.is_cifar()) {
    plan.set("decay-norm-bias", "true");
  } else {
    plan.set("bias-weight-decay", decay);
  }
}

void plan_rmsprop(DialectPlan& plan, const GraphcoreRun& which) {
  plan.set("optimizer", "tf-rmsprop");
  plan.set("momentum", plan.text("momentum"));
  if (plan.given("rmsprop-epsilon")) plan.set("rmsprop-epsilon", plan.text("rmsprop-epsilon"));
  if (plan.has("rmsprop-decay")) {
    plan.set("rmsprop-decay", plan.text("rmsprop-decay"));
  } else if (plan.has("rmsprop-base-decay-exp")) {
    plan.set("rmsprop-base-decay-exp", plan.text("rmsprop-base-decay-exp"));
  } else if (which.model == "efficientnet") {
    plan.set("rmsprop-base-decay-exp", "-14");
  } else {
    plan.refuse("optimiser", "needs --rmsprop-decay for this model; try: --rmsprop-decay 0.9");
  }
}

void plan_optimiser(DialectPlan& plan, const GraphcoreRun& which) {
  if (which.optimiser == "RMSprop") {
    plan_rmsprop(plan, which);
  } else if (which.optimiser == "LARS") {
    plan.set("optimizer", "lars");
    plan.set("momentum", plan.text("momentum"));
    if (plan.number("lars-epsilon") > 0) plan.set("lars-epsilon", plan.text("lars-epsilon"));
    if (plan.given("lars-eeta")) plan.set("lars-eta", plan.text("lars-eeta"));
    if (plan.given("lars-skip-list")) plan.set("lars-skip-list", plan.text("lars-skip-list"));
  } else {
    plan.set("optimizer", "sgd");
    plan.set("momentum", which.optimiser == "SGD" ? "0" : plan.text("momentum"));
  }
  plan.explain("optimiser", "--optimizer " + plan.options.at("optimizer").text);
  plan_decay(plan, which);
}

void plan_peak(DialectPlan& plan, const GraphcoreRun& which) {
  if (plan.has("abs-learning-rate")) return;  // its row
  const double exponent = plan.has("base-learning-rate-exponent")
                              ? plan.number("base-learning-rate-exponent")
                              : which.usual.exponent;
  if (exponent == 0) {
    raise(
        Fault::usage,
        "convoy cnns (train): {} has no usual learning rate for {}; try: --abs-learning-rate 0.1, "
        "or --base-learning-rate-exponent -8",
        which.model, which.optimiser);
  }
  plan.set("base-learning-rate-exponent", exponent);
}

void plan_exponential(DialectPlan& plan, const GraphcoreRun& which) {
  const bool has_usual = which.model == "efficientnet";
  for (const char* key : {"lr-decay-rate", "lr-drops"}) {
    if (plan.has(key) || has_usual) continue;
    raise(Fault::usage, "convoy cnns (train): --lr-schedule exponential needs --{} for {}", key,
          which.model);
  }
  plan.set("learning-rate-decay", plan.has("lr-decay-rate") ? plan.text("lr-decay-rate") : "0.97");
  plan.set("lr-drops", plan.has("lr-drops") ? plan.text("lr-drops") : "146");
}

void plan_schedule(DialectPlan& plan, const GraphcoreRun& which) {
  const std::string schedule = plan.text("lr-schedule");
  const bool is_polynomial = schedule == "polynomial_decay_lr";
  plan.set("lr-schedule", is_polynomial ? "polynomial" : schedule);
  if (schedule == "stepped") {
    plan.set("learning-rate-decay", plan.text("learning-rate-decay"));
    plan.set("learning-rate-schedule", plan.has("learning-rate-schedule")
                                           ? plan.text("learning-rate-schedule")
                                           : which.usual.drops);
  } else if (schedule == "exponential") {
    plan_exponential(plan, which);
  } else if (is_polynomial) {
    plan.set("poly-lr-decay-power", plan.text("poly-lr-decay-power"));
    const bool is_absolute = plan.has("abs-end-learning-rate");
    plan.set(is_absolute ? "min-lr" : "min-lr-ratio",
             plan.text(is_absolute ? "abs-end-learning-rate" : "poly-lr-end-ratio"));
  }
  const double warmup = plan.number("warmup-epochs");
  if (which.by_steps && warmup > 0) {
    plan.note("--iterations: no warm-up, as there; it is counted in epochs");
  } else if (warmup > 0) {
    plan.set("warmup-epochs", plan.text("warmup-epochs"));
    plan.set("warmup-kind", is_polynomial ? "shift" : "multiply");
  }
}

}  // namespace

void plan_graphcore_update(DialectPlan& plan, const GraphcoreRun& which) {
  plan_optimiser(plan, which);
  plan_peak(plan, which);
  plan_schedule(plan, which);
}

}  // namespace convoy
