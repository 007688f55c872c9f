#include "report/mllog/mllog.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/files/append_file.h"
#include "base/text/json.h"
#include "base/text/json_text.h"
#include "base/text/text.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *point = "POINT_IN_TIME", *start = "INTERVAL_START", *stop = "INTERVAL_END";
constexpr std::string_view token = ":::MLLOG ";
constexpr int crops_of_pass = 50;  // tries of --crop ssd-crop for each overlap that it draws
// What a submission must reach.
constexpr double target_top1 = 0.759, target_map = 0.23;

class Mllog final : public Listener {
 public:
  explicit Mllog(MllogSpec spec) : spec_(std::move(spec)) {}

  void on(const RunEvent& event) override {
    std::visit([&](const auto& e) { hear(e); }, event);
  }

 private:
  bool is_resnet() const { return spec_.benchmark == MllogBenchmark::resnet; }

  double option(const std::string& key, double otherwise = 0) const {
    const auto found = spec_.options.find(key);
    if (found == spec_.options.end()) return otherwise;
    try {
      return std::stod(found->second);
    } catch (const std::exception&) {
      return otherwise;
    }
  }

  void write(const char* type, const char* key, const Json& value, const Json& about = {},
             double time = unix_seconds()) {
    Json metadata{{"file", "convoy"}, {"lineno", 0}};
    if (about.is_object()) metadata.update(about);
    const Json line{{"namespace", ""},    {"time_ms", static_cast<int64_t>(time * 1000)},
                    {"event_type", type}, {"key", key},
                    {"value", value},     {"metadata", metadata}};
    file_->append(std::string(token) + json_text(line) + "\n");
  }

  void hear(const RunStart& e) {
    file_.emplace(spec_.file, Fault::checkpoint);
    write(point, "submission_benchmark", is_resnet() ? "resnet" : "ssd");
    write(point, "submission_org", spec_.org);
    write(point, "submission_division", spec_.division);
    write(point, "submission_status", "onprem");
    write(point, "submission_platform", spec_.platform);
    write(point, "cache_clear", true);
    write(start, "init_start", nullptr);
    write(point, "seed", e.seed);
    write(point, "global_batch_size", e.batch.global_batch);
    write(point, "gradient_accumulation_steps", e.batch.accumulation);
    write(point, "train_samples", e.length.train_samples);
    write(point, "eval_samples", e.length.eval_samples);
    if (is_resnet()) {
      write_resnet(e);
    } else {
      write_ssd(e);
    }
    for (const std::string& tensor : mllog_tensors(spec_.benchmark)) {
      write(point, "weights_initialization", nullptr, {{"tensor", tensor}});
    }
    write(stop, "init_stop", nullptr);
    write(start, "run_start", nullptr);
  }

  int64_t span_of(const RunStart& e) const {
    const auto span = static_cast<int64_t>(spec_.options.contains("sync-bn") &&
                                                   spec_.options.at("sync-bn") == "true"
                                               ? static_cast<double>(e.batch.replicas)
                                               : option("bn-span", 1));
    return span * e.batch.micro_batch;
  }

  void write_resnet(const RunStart& e) {
    const auto named = spec_.options.find("optimizer");
    const bool lars = named != spec_.options.end() && named->second == "lars";
    const std::string prefix = lars ? "lars_opt_" : "sgd_opt_";
    const double warmup = option("warmup-epochs");
    const auto steps_per_epoch = static_cast<double>(e.length.steps_per_epoch);
    const auto put = [&](const std::string& key, const Json& value) {
      write(point, key.c_str(), value);
    };
    put("opt_name", lars ? "lars" : "sgd");
    put(prefix + "base_learning_rate", e.lr);
    put(prefix + "end_learning_rate", std::max(option("min-lr"), option("min-lr-ratio") * e.lr));
    put(prefix + "learning_rate_decay_poly_power", option("poly-lr-decay-power", 1));
    put(prefix + "learning_rate_decay_steps",
        e.length.total_steps - std::llround(warmup * steps_per_epoch));
    put(prefix + "momentum", option("momentum"));
    put(prefix + "weight_decay", option("weight-decay"));
    put(lars ? "lars_opt_learning_rate_warmup_epochs" : "opt_learning_rate_warmup_epochs", warmup);
    if (lars) return put("lars_epsilon", option("lars-epsilon"));
    put("model_bn_span", span_of(e));
  }

  void write_ssd(const RunStart& e) {
    const double warmup = option("warmup-epochs") * static_cast<double>(e.length.steps_per_epoch);
    write(point, "model_bn_span", span_of(e));
    write(point, "opt_base_learning_rate", e.lr);
    write(point, "opt_weight_decay", option("weight-decay"));
    write(point, "opt_learning_rate_warmup_factor", option("warmup-start"));
    write(point, "opt_learning_rate_warmup_steps", std::llround(warmup));
    write(point, "max_samples", crops_of_pass);
    Json boundaries = Json::array();
    const auto epochs = spec_.options.find("piecewise-epochs");
    if (epochs != spec_.options.end()) {
      std::string text = epochs->second;
      std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == ' '; });
      for (const std::string& one : split(text, ',')) {
        if (!one.empty()) boundaries.push_back(std::stod(one));
      }
    }
    write(point, "opt_learning_rate_decay_boundary_epochs", boundaries);
  }

  // A log that ends inside of a block goes on in it.
  void hear(const Resumed& e) {
    if (e.path.empty()) return;
    if (std::error_code none; fs::exists(spec_.file, none)) {
      for (const std::string& line : split(read_file(spec_.file, Fault::checkpoint), '\n')) {
        if (line.find("\"block_st") == std::string::npos) continue;
        try {
          const auto event = parse_json(std::string_view(line).substr(token.size()));
          block_ = event.at("metadata").at("first_epoch_num");
          is_in_block_ = event.at("key") == "block_start";
        } catch (const std::exception&) {  // not a line of ours
        }
      }
    }
    file_.emplace(spec_.file, Fault::checkpoint);
  }

  void hear(const TrainProgress& e) {
    if (!file_) return;
    const double now = unix_seconds();
    if (!is_in_block_) {
      is_in_block_ = true;
      block_ = epoch_number(e.epoch);
      const double each = std::max(option("eval-epochs", 1), 1.0);
      write(start, "block_start", nullptr,
            {{"first_epoch_num", block_}, {"epoch_count", static_cast<int64_t>(each)}});
    }
    last_step_ = now;
    last_epoch_ = epoch_number(e.epoch);
  }

  void begin_evaluation() {
    if (!is_in_block_) return;
    is_in_block_ = false;
    write(stop, "block_stop", nullptr, {{"first_epoch_num", block_}}, last_step_);
    write(start, "eval_start", nullptr, {{"epoch_num", last_epoch_}}, last_step_);
  }
  void hear(const EvalProgress&) {
    if (file_) begin_evaluation();
  }
  void hear(const EvalDone& e) {
    if (!file_ || e.ema) return;
    if (last_step_ == 0) last_step_ = unix_seconds();
    last_epoch_ = epoch_number(e.epoch);
    begin_evaluation();
    const Metric* main = main_metric(e.metrics);
    const double value = main ? main->value / (main->def->unit == "%" ? 100 : 1) : 0;
    reached_ = reached_ || value >= (is_resnet() ? target_top1 : target_map);
    write(point, "eval_accuracy", value, {{"epoch_num", last_epoch_}});
    write(stop, "eval_stop", nullptr, {{"epoch_num", last_epoch_}});
  }

  void hear(const RunEnd& e) {
    constexpr int requeue = 75;  // the run will go on
    if (!file_ || e.exit == requeue) return;
    if (is_in_block_) write(stop, "block_stop", nullptr, {{"first_epoch_num", block_}});
    write(stop, "run_stop", nullptr, {{"status", reached_ && e.exit == 0 ? "success" : "aborted"}});
  }
  void hear(const auto&) {}

  MllogSpec spec_;
  std::optional<AppendFile> file_;
  bool is_in_block_ = false, reached_ = false;
  int64_t block_ = 1, last_epoch_ = 1;
  double last_step_ = 0;
};

}  // namespace

std::unique_ptr<Listener> mllog_listener(MllogSpec spec) {
  return std::make_unique<Mllog>(std::move(spec));
}

}  // namespace convoy
