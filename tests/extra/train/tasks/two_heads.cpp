// A task of two labels, two losses, two outputs and results of any length: what a sample shows, and
// to which of three groups it belongs. A sample's results are the classes that the network held
// for possible; one metric depends on the order of all samples, so that it shows any change of it.
#include <array>
#include <cmath>

#include "data/loading/batch.h"
#include "data/sample.h"
#include "ops/loss/cross_entropy.h"
#include "train/tasks/task.h"

namespace convoy {
namespace {

constexpr float group_weight = 0.5f;

constexpr std::array metric_defs{
    loss_metric,
    MetricDef{.name = "both",
              .title = "both",
              .log_title = "Both",
              .unit = "%",
              .hits = "both_right",
              .is_main = true},
    MetricDef{.name = "order", .title = "order", .log_title = "Order", .higher_is_better = false}};

class Found final : public Results {
 public:
  std::vector<Metric> metrics() const override {
    double order = 0;
    for (const double number : numbers_) order = std::fmod(order * 31 + number, 1000003);
    return {{&metric_defs[0], mean_loss()}, main(), {&metric_defs[2], order}};
  }
  Metric main() const override {
    const double all = static_cast<double>(std::max<int64_t>(samples(), 1));
    return {&metric_defs[1], 100 * static_cast<double>(right_) / all, right_};
  }

 private:
  // Whether both heads are right, then the classes that are possible.
  void add_rest(std::span<const double> row) override {
    right_ += row[0] == 1;
    numbers_.push_back(static_cast<double>(row.size()));
    numbers_.insert(numbers_.end(), row.begin() + 1, row.end());
  }
  void merge_rest(const Results& later) override {
    const auto& other = static_cast<const Found&>(later);
    right_ += other.right_;
    numbers_.insert(numbers_.end(), other.numbers_.begin(), other.numbers_.end());
  }
  void clear_rest() override {
    right_ = 0;
    numbers_.clear();
  }
  void save_rest(SavedResults& into) const override {
    into.numbers["both_right"] = static_cast<double>(right_);
    into.lists["found"] = numbers_;
  }
  std::string restore_rest(const SavedResults& saved) override {
    const auto list = saved.lists.find("found");
    if (list == saved.lists.end() || !take_count(saved, "both_right", samples(), right_)) {
      return "epoch_found or epoch_both_right is missing";
    }
    numbers_ = list->second;
    return "";
  }

  int64_t right_ = 0;
  std::vector<double> numbers_;
};

// The group follows from the label and from how the image was mirrored.
class TwoLabels final : public SampleForm {
 public:
  TensorList tensors() const override {
    return {{"label", {{}, DType::s32}}, {"group", {{}, DType::s32}}};
  }
  void write(const Sample& sample, Batch& batch, int64_t i) const override {
    const int32_t label = sample.get<int32_t>("label")[0];
    batch.data<int32_t>("label")[i] = label;
    batch.data<int32_t>("group")[i] = sample.geometry.x.scale < 0 ? 2 : label % 2;
  }
};

class TwoHeads final : public Task {
 public:
  explicit TwoHeads(const TaskSite& site) : site_(site) {}

  TaskGraph build(const TaskShape& shape) const override {
    TaskGraph task;
    task.graph.replicas = shape.replicas;
    Builder b(task.graph, shape.train);
    const Shape& c = shape.image;
    const Value image = b.input("image", {{shape.batch, c[0], c[1], c[2]}, DType::f32});
    const Value key = b.input("key", {{shape.batch}, DType::s64});
    const Value what = site_.model.variant.build(b, {image, key, site_.classes, site_.options});
    const Value group = b.exposed("group");
    if (!shape.train) {
      b.output("what", what);
      b.output("group", group);
    }
    if (shape.for_export) return task;
    const auto loss_of = [&](Value logits, const char* label) {
      return ops::softmax_cross_entropy(b, logits, b.input(label, {{shape.batch}, DType::s32}));
    };
    const Value loss = loss_of(what, "label"), group_loss = loss_of(group, "group");
    b.output("loss", loss);
    b.output("group_loss", group_loss);
    if (shape.train) {
      task.loss_scale = b.input("loss_scale", {});
      task.losses = {{loss, 1}, {group_loss, group_weight}};
    }
    return task;
  }

  std::unique_ptr<Results> results() const override { return std::make_unique<Found>(); }
  const SampleForm* form() const override { return &form_; }

  // A class is possible when its loss, were it the right one, would be small: of the true classes
  // that is known here, and repeated as often as it is sure.
  void read(const Executor& executor, const Batch& batch, Rows& rows) const override {
    const float* loss = executor.output("loss");
    const float* group_loss = executor.output("group_loss");
    std::vector<double> row;
    for (int64_t i = 0; i < batch.valid; ++i) {
      if (batch.data<float>("weight")[i] == 0) continue;
      const bool both = loss[i] < 0.6f && group_loss[i] < 0.9f;
      row = {static_cast<double>(loss[i] + group_weight * group_loss[i]), both ? 1.0 : 0.0};
      const int sure = static_cast<int>(8 * std::exp(-loss[i]));
      for (int n = 0; n < sure; ++n) row.push_back(batch.data<int32_t>("label")[i] + 10 * n);
      rows.add(row);
    }
  }

 private:
  TaskSite site_;
  TwoLabels form_;
};

}  // namespace

TaskDef two_heads_task() {
  return {.name = "two_heads",
          .help = "what a sample shows, and its group",
          .metrics = metric_defs,
          .make = [](const TaskSite& site) -> std::unique_ptr<Task> {
            return std::make_unique<TwoHeads>(site);
          }};
}

}  // namespace convoy
