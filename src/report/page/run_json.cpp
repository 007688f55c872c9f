#include "report/page/run_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/show.h"
#include "report/page/html.h"
#include "report/runs/run_scores.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

constexpr double bytes_per_gb = 1e9;
constexpr size_t most_text = 200;

void add_number(std::string& json, double value, int digits) {
  if (!json.ends_with('[')) json += ',';
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(json), "{:.{}g}", value, digits);
  } else {
    json += "null";
  }
}

// The numbers of `column` at the rows, as a JSON list.
std::string numbers(const std::vector<double>& column, const std::vector<size_t>& rows, int digits,
                    double minus = 0, double share = 1) {
  std::string json = "[";
  for (const size_t row : rows) {
    add_number(json, row < column.size() ? (column[row] - minus) * share : std::nan(""), digits);
  }
  return json + "]";
}

struct TaggedColumn {
  std::string tag;
  double share = 1;  // its unit
};

TaggedColumn tag_of_train(const std::string& name) {
  if (name == "lr") return {"lr"};
  if (name == "images_per_s") return {"throughput/images_per_s"};
  if (name == "data_wait_s") return {"time/data"};
  if (name == "rss_bytes") return {"memory/rss_gb", 1 / bytes_per_gb};
  for (const char* key : {"epoch", "step", "samples", "t", "seconds"}) {
    if (name == key) return {};
  }
  return {"train/" + one_line(name)};
}

TaggedColumn tag_of_eval(const std::string& name) {
  return {metric_named(name) ? "val/" + name : ""};
}

// Both kinds of events as series.
class Writer {
 public:
  Writer(size_t most, double begin) : most_(most), begin_(begin) {}

  template <class TagOf>
  void add(const EventTable& table, const TagOf& tag_of, bool with_averages) {
    const std::vector<double>& average = table.column("ema");
    for (const std::string& name : table.names()) {
      const TaggedColumn about = tag_of(name);
      if (about.tag.empty()) continue;
      for (const bool of_average : {false, true}) {
        if (of_average && !with_averages) continue;
        std::vector<double> values = table.column(name);
        size_t count = 0;
        for (size_t i = 0; i < values.size(); ++i) {
          const bool is_average = with_averages && i < average.size() && average[i] == 1;
          if (is_average != of_average) values[i] = std::nan("");
          count += !std::isnan(values[i]);
        }
        if (count == 0) continue;
        write(table, about, values, of_average);
      }
    }
  }

  std::string text() && { return std::move(json_); }

 private:
  void write(const EventTable& table, const TaggedColumn& about, const std::vector<double>& values,
             bool of_average) {
    const std::vector<size_t> rows = telling_points(values, most_);
    const Json tag = about.tag + (of_average ? " (average)" : "");
    if (!json_.empty()) json_ += ",\n";
    json_ += fmt::format(R"({{"tag":{},"x":{},"t":{},"y":{}}})",
                         tag.dump(-1, ' ', false, Json::error_handler_t::replace),
                         numbers(table.column("step"), rows, 12),
                         numbers(table.column("t"), rows, 7, begin_),
                         numbers(values, rows, 6, 0, about.share));
  }

  size_t most_;
  double begin_;
  std::string json_;
};

double first_of(const std::vector<double>& values) {
  for (const double value : values) {
    if (std::isfinite(value)) return value;
  }
  return 0;
}

// Epochs by step; the same during the whole run.
double epochs_per_step(const RunCurves& curves) {
  for (const EventTable* table : {&curves.train(), &curves.evals()}) {
    const double step = table->last("step"), epoch = table->last("epoch");
    if (step > 0 && std::isfinite(epoch)) return epoch / step;
  }
  return 0;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(one_line(shortened(text, most_text)));
}

Json number_or_null(const std::map<std::string, double>& from, const std::string& key) {
  const auto found = from.find(key);
  return found == from.end() || !std::isfinite(found->second) ? Json() : Json(found->second);
}

Json score_json(const std::optional<RunScore>& score) {
  if (!score || !std::isfinite(score->value)) return nullptr;
  return {{"metric", score->metric->title},
          {"value", score->value},
          {"shown", shown_value({score->metric, score->value})},
          {"epoch", score->epoch},
          {"higher_is_better", score->metric->higher_is_better}};
}

}  // namespace

std::string curves_json(const RunCurves& curves, size_t most) {
  const double begin = first_of(curves.train().column("t"));
  Writer writer(most, begin);
  writer.add(curves.train(), tag_of_train, false);
  writer.add(curves.evals(), tag_of_eval, true);
  return fmt::format("{{\"series\":[{}],\"epochs_per_step\":{:.9g},\"damaged\":{}}}",
                     std::move(writer).text(), epochs_per_step(curves), curves.damaged_lines());
}

Json facts_json(const std::string& name, const RunFacts& run) {
  Json json{{"name", one_line(shortened(name, most_text))},
            {"status", word_of(run.status)},
            {"exit", run.exit}};
  for (const char* key : {"model", "dataset", "image", "precision", "isa", "version"}) {
    json[key] = text_or_null(run.text(key));
  }
  for (const char* key : {"parameters", "global_batch", "epochs", "seed"}) {
    json[key] = number_or_null(run.start, key);
  }
  json["step"] = run.step();
  json["total_steps"] = run.total_steps();
  json["epoch"] = run.epoch();
  for (const char* key : {"loss", "lr", "images_per_s", "data_wait_s"}) {
    json[key] = number_or_null(run.last, key);
  }
  json["score"] = score_json(run.score);
  json["best"] = score_json(run.best);
  json["eta_s"] = run.eta_s ? Json(*run.eta_s) : Json();
  json["seconds"] = number_or_null(run.end, "seconds");
  json["peak_rss_bytes"] = number_or_null(run.end, "peak_rss_bytes");
  json["weights"] = text_or_null(run.weights_hash);
  json["began"] = run.began;
  json["changed"] = run.changed;
  Json problems = Json::array();
  for (const std::string& problem : run.problems) problems.push_back(text_or_null(problem));
  json["problems"] = std::move(problems);
  return json;
}

}  // namespace convoy
