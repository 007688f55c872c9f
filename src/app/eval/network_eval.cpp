#include "app/eval/network_eval.h"

#include <algorithm>

#include "app/eval/result_scores.h"
#include "app/network/class_names.h"
#include "base/show.h"
#include "dist/world.h"
#include "report/console.h"

namespace convoy {
namespace {

constexpr double stall_timeout_s = 60;  // for ranks that others wait for

}  // namespace

void EvalOptions::describe(Fields& field) {
  describe_source(field);
  field("all", all, "evaluate every checkpoint of a run in turn, then what `convoy average` made");
  describe_split(field);
  field("json", json, "print one JSON object");
  field("plots", plots, plots_help);
  describe_stored(field);
  field.section("How");
  field("eval-batch-size", eval_batch_size, "images at a time; changes no result", at_least(1),
        {"batch-size", "b"});
  describe_how(field);
}

void describe_eval(Fields& field) {
  EvalOptions().describe(field);
  ResultsOptions().describe(field);
}

// A batch larger than the data would be computed in full.
NetworkEval::NetworkEval(const EvalOptions& options, const OpenedModel& opened,
                         Transport* transport, bool tells)
    : data_(open_matched(options, opened, options.wants_training_set())),
      chain_(options.data.chain(data_->image_shape(), false)),
      batch_(std::min(options.eval_batch_size, data_->size())),
      network_(options, opened, data_->image_shape(),
               class_count(options, opened.model, {}, data_.get()), batch_,
               InferenceNetwork::Norms::kept),
      evaluator_(
          network_.task(), network_.executor(), *data_, chain_, batch_, options.data.loader(),
          [tells](const Batch::Bad& bad) {
            if (tells) show(stderr, "Warning: {}\n", bad.reason);
          },
          transport),
      watch_(transport, stall_timeout_s) {
  if (tells && !data_->remark().empty()) show(stderr, "Warning: {}\n", data_->remark());
}

Evaluator::Outcome NetworkEval::evaluate(const WeightFile& file, bool quiet) {
  network_.load(file);
  watch_.at_step(0);
  const auto console =
      console_listener(console_options(quiet, false, World::started_by_mpi()));  // with its bar
  return std::move(*evaluator_.run([&](int64_t done) {
    console->on(EvalProgress{done, evaluator_.samples()});
    watch_.advance();
    return true;
  }));
}

}  // namespace convoy
