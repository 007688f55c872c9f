#include "report/jsonl.h"

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/files/append_file.h"
#include "report/metrics_json.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

// Null for events that do not belong in the file.
Json object_of(const RunEvent& event) {
  return std::visit(
      Cases{
          [](const RunStart& e) -> Json {
            return {{"event", "run_start"},
                    {"model", e.model},
                    {"dataset", e.dataset},
                    {"image", e.image},
                    {"parameters", e.parameters},
                    {"seed", e.seed},
                    {"threads", e.threads},
                    {"precision", e.precision},
                    {"isa", e.isa},
                    {"version", e.version},
                    {"micro_batch", e.micro_batch},
                    {"accumulation", e.accumulation},
                    {"replicas", e.replicas},
                    {"global_batch", e.global_batch},
                    {"train_samples", e.train_samples},
                    {"eval_samples", e.eval_samples},
                    {"steps_per_epoch", e.steps_per_epoch},
                    {"total_steps", e.total_steps},
                    {"epochs", json_number(e.epochs)},
                    {"lr", json_number(e.lr)}};
          },
          [](const PlanReady& e) -> Json {
            return {{"event", "plan"},
                    {"kind", e.kind},
                    {"batch", e.batch},
                    {"nodes", e.nodes},
                    {"state_bytes", e.state_bytes},
                    {"workspace_bytes", e.workspace_bytes},
                    {"flops", json_number(e.flops)}};
          },
          [](const TrainProgress& e) -> Json {
            if (!e.record) return nullptr;
            return {{"event", "train"},
                    {"epoch", json_number(e.epoch)},
                    {"step", e.step},
                    {"samples", e.samples},
                    {"loss", json_number(e.loss)},
                    {"lr", json_number(e.lr)},
                    {"images_per_s", json_number(e.images_per_s)},
                    {"data_wait_s", json_number(e.data_wait_s)}};
          },
          [](const EvalDone& e) -> Json {
            Json object{{"event", "eval"}, {"epoch", json_number(e.epoch)}, {"step", e.step}};
            add_metrics(object, e.metrics, e.total);
            object["ema"] = e.ema;
            object["seconds"] = json_number(e.seconds);
            return object;
          },
          [](const CheckpointSaved& e) -> Json {
            return {{"event", "checkpoint"}, {"step", e.step}, {"path", e.path}, {"best", e.best}};
          },
          [](const Shortened& e) -> Json {
            return {{"event", "shortened"},
                    {"step", e.step},
                    {"last_step", e.last_step},
                    {"reason", e.reason}};
          },
          [](const BadSample& e) -> Json {
            return {{"event", "bad_sample"},
                    {"file", e.file},
                    {"index", e.index},
                    {"reason", e.reason}};
          },
          [](const RankLost& e) -> Json {
            return {{"event", "rank_lost"}, {"rank", e.rank}, {"step", e.step}, {"text", e.text}};
          },
          [](const NonFinite& e) -> Json {
            return {{"event", "nonfinite"}, {"step", e.step}, {"loss", json_number(e.loss)}};
          },
          [](const Stopped& e) -> Json {
            return {{"event", "stop"},
                    {"step", e.step},
                    {"signal", e.signal},
                    {"checkpoint", e.checkpoint}};
          },
          [](const RunEnd& e) -> Json {
            return {{"event", "run_end"},
                    {"step", e.step},
                    {"weights_hash", e.weights_hash},
                    {"seconds", json_number(e.seconds)},
                    {"peak_rss_bytes", e.peak_rss_bytes},
                    {"exit", e.exit}};
          },
          [](const WeightsLoaded&) -> Json { return nullptr; },
          [](const Forecast&) -> Json { return nullptr; },
          [](const Exchanged&) -> Json { return nullptr; },
          [](const EvalProgress&) -> Json { return nullptr; },
          [](const EpochDone&) -> Json { return nullptr; },
          [](const Warning&) -> Json { return nullptr; },
          [](const Resumed&) -> Json { return nullptr; },
      },
      event);
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
  Json object = object_of(event);
  if (object.is_null()) return "";
  object["t"] = std::floor(time * 1000) / 1000;
  // File names may contain bytes that are not UTF-8.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::unique_ptr<Listener> jsonl_listener(const fs::path& path) {
  return std::make_unique<Jsonl>(path);
}

}  // namespace convoy
