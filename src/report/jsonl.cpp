#include "report/jsonl.h"

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files/append_file.h"
#include "report/metrics_json.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

// The object of an event; null for events that do not belong in the file.
Json object_of(const auto&) { return nullptr; }

Json object_of(const RunStart& e) {
  return {{"event", "run_start"},
          {"model", e.model},
          {"dataset", e.dataset},
          {"image", e.image},
          {"parameters", e.parameters},
          {"seed", e.seed},
          {"threads", e.processes.threads},
          {"precision", e.precision},
          {"isa", e.isa},
          {"version", e.version},
          {"micro_batch", e.batch.micro_batch},
          {"accumulation", e.batch.accumulation},
          {"replicas", e.batch.replicas},
          {"global_batch", e.batch.global_batch},
          {"train_samples", e.length.train_samples},
          {"eval_samples", e.length.eval_samples},
          {"steps_per_epoch", e.length.steps_per_epoch},
          {"total_steps", e.length.total_steps},
          {"epochs", json_number(e.length.epochs)},
          {"lr", json_number(e.lr)}};
}

Json object_of(const PlanReady& e) {
  return {{"event", "plan"},
          {"kind", e.kind},
          {"batch", e.batch},
          {"nodes", e.nodes},
          {"state_bytes", e.state_bytes},
          {"workspace_bytes", e.workspace_bytes},
          {"flops", json_number(e.flops)}};
}

Json object_of(const TrainProgress& e) {
  if (!e.record) return nullptr;
  return {{"event", "train"},
          {"epoch", json_number(e.epoch)},
          {"step", e.step},
          {"samples", e.samples},
          {"loss", json_number(e.loss)},
          {"lr", json_number(e.lr)},
          {"images_per_s", json_number(e.images_per_s)},
          {"data_wait_s", json_number(e.data_wait_s)},
          {"rss_bytes", e.rss_bytes}};
}

Json object_of(const EvalDone& e) {
  Json object{{"event", "eval"}, {"epoch", json_number(e.epoch)}, {"step", e.step}};
  add_metrics(object, e.metrics, e.total);
  object["ema"] = e.ema;
  object["seconds"] = json_number(e.seconds);
  return object;
}

Json object_of(const CheckpointSaved& e) {
  return {{"event", "checkpoint"}, {"step", e.step}, {"path", e.path}, {"best", e.best}};
}

Json object_of(const Shortened& e) {
  return {
      {"event", "shortened"}, {"step", e.step}, {"last_step", e.last_step}, {"reason", e.reason}};
}

Json object_of(const BadSample& e) {
  return {{"event", "bad_sample"}, {"file", e.file}, {"index", e.index}, {"reason", e.reason}};
}

Json object_of(const RankLost& e) {
  return {{"event", "rank_lost"}, {"rank", e.rank}, {"step", e.step}, {"text", e.text}};
}

Json object_of(const NonFinite& e) {
  return {{"event", "nonfinite"},
          {"step", e.step},
          {"loss", json_number(e.loss)},
          {"what", e.gradient ? "gradient" : "loss"},
          {"action", e.stops ? "stop" : "skip"},
          {"samples", e.samples}};
}

Json object_of(const LossScaled& e) {
  return {{"event", "loss_scale"},
          {"step", e.step},
          {"scale", json_number(e.scale)},
          {"overflow", e.overflow}};
}

Json object_of(const Stopped& e) {
  return {{"event", "stop"}, {"step", e.step}, {"signal", e.signal}, {"checkpoint", e.checkpoint}};
}

Json object_of(const RunEnd& e) {
  return {{"event", "run_end"},
          {"step", e.step},
          {"weights_hash", e.weights_hash},
          {"seconds", json_number(e.seconds)},
          {"peak_rss_bytes", e.peak_rss_bytes},
          {"exit", e.exit}};
}

class Jsonl : public Listener {
 public:
  explicit Jsonl(const fs::path& path) : file_(path, Fault::checkpoint) {}
  void on(const RunEvent& event) override { file_.append(metrics_line(event, unix_seconds())); }

 private:
  AppendFile file_;
};

}  // namespace

std::string metrics_line(const RunEvent& event, double time) {
  Json object = std::visit([](const auto& e) { return object_of(e); }, event);
  if (object.is_null()) return "";
  object["t"] = std::floor(time * 1000) / 1000;
  // File names may contain bytes that are not UTF-8.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::unique_ptr<Listener> jsonl_listener(const fs::path& path) {
  return std::make_unique<Jsonl>(path);
}

}  // namespace convoy
