#include "report/runs/run_tables.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/text/text.h"

namespace convoy {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double found(const std::map<std::string, double>& numbers, const std::string& key) {
  const auto at = numbers.find(key);
  return at == numbers.end() ? nothing : at->second;
}

TableCell whole(double number) {
  return {number, std::isnan(number) ? "" : with_commas(static_cast<long long>(number))};
}

TableCell short_number(double number) { return {number, fmt::format("{:.4g}", number)}; }

TableCell score_cell(const std::optional<RunScore>& score) {
  if (!score || !score->metric) return {};
  return {score->value, shown_value(Metric{score->metric, score->value})};
}

std::string metric_name(const RunFacts& facts) {
  return facts.best && facts.best->metric ? std::string(facts.best->metric->name) : "";
}

// Of the whole run once it has ended, else since its first process began.
double seconds_of(const RunFacts& facts) {
  const double ended = found(facts.end, "seconds");
  if (!std::isnan(ended)) return ended;
  return facts.began > 0 && facts.changed > facts.began ? facts.changed - facts.began : nothing;
}

TableCell duration(double seconds) {
  return {seconds, std::isnan(seconds) ? "" : human_seconds(seconds)};
}

TableCell bytes_cell(double bytes) { return {bytes, std::isnan(bytes) ? "" : human_bytes(bytes)}; }

// "running, 0:12 left", "failed with 5"
std::string status_text(const RunFacts& facts) {
  std::string text(word_of(facts.status));
  if (facts.status == RunStatus::failed) text += fmt::format(" with {}", facts.exit);
  if (facts.eta_s) text += fmt::format(", {} left", human_seconds(*facts.eta_s));
  return text;
}

std::string date_of(double time) {
  if (time <= 0) return "";
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(time)));
}

struct ResultRow {
  std::string key;
  std::vector<TableCell> cells;
};

std::vector<ResultRow> result_rows(const std::vector<ComparedRun>& runs) {
  std::vector<ResultRow> rows;
  const auto add = [&](const char* key, const auto& cell) {
    ResultRow row{key, {}};
    for (const ComparedRun& run : runs) row.cells.push_back(cell(run.facts));
    const auto is_empty = [](const TableCell& c) { return c.shown.empty(); };
    if (!std::ranges::all_of(row.cells, is_empty)) rows.push_back(std::move(row));
  };
  using Facts = const RunFacts&;
  add("status", [](Facts f) { return TableCell(status_text(f)); });
  add("metric", [](Facts f) { return TableCell(metric_name(f)); });
  add("best", [](Facts f) { return score_cell(f.best); });
  add("best_epoch", [](Facts f) { return f.best ? short_number(f.best->epoch) : TableCell(); });
  add("last", [](Facts f) { return score_cell(f.score); });
  add("train_loss", [](Facts f) { return short_number(found(f.last, "loss")); });
  add("step", [](Facts f) { return whole(static_cast<double>(f.step())); });
  add("total_steps", [](Facts f) { return whole(found(f.start, "total_steps")); });
  add("epoch", [](Facts f) { return short_number(found(f.last, "epoch")); });
  add("images_per_s", [](Facts f) { return short_number(found(f.last, "images_per_s")); });
  add("seconds", [](Facts f) { return duration(seconds_of(f)); });
  add("peak_rss_bytes", [](Facts f) { return bytes_cell(found(f.end, "peak_rss_bytes")); });
  add("parameters", [](Facts f) { return whole(found(f.start, "parameters")); });
  add("weights_hash", [](Facts f) { return TableCell(f.weights_hash); });
  add("version", [](Facts f) { return TableCell(f.text("version")); });
  add("isa", [](Facts f) { return TableCell(f.text("isa")); });
  return rows;
}

// The keys of options that differ, in the order in which the runs list them.
std::vector<std::string> compared_keys(const std::vector<ComparedRun>& runs, bool all_options) {
  const auto text_of = [](const ComparedRun& run, const std::string& key) -> std::string {
    const auto at = std::ranges::find(run.options, key, &RecordedOption::key);
    return at == run.options.end() ? "" : at->text;
  };
  std::vector<std::string> keys;
  for (const ComparedRun& run : runs) {
    for (const RecordedOption& option : run.options) {
      const bool is_place = option.key == "name" || option.key == "output";
      if (is_place || std::ranges::find(keys, option.key) != keys.end()) continue;
      const std::string first = text_of(runs.front(), option.key);
      const bool differs = std::ranges::any_of(
          runs, [&](const ComparedRun& other) { return text_of(other, option.key) != first; });
      if (differs || (all_options && !option.is_default())) keys.push_back(option.key);
    }
  }
  return keys;
}

}  // namespace

Table list_of_runs(const std::vector<FoundRun>& runs) {
  Table table{{{"run", "run"},
               {"status", "status"},
               {"model", "model"},
               {"dataset", "dataset"},
               {"epoch", "epoch"},
               {"step", "step"},
               {"total_steps", "of"},
               {"train_loss", "loss"},
               {"metric", "metric"},
               {"last", "last"},
               {"best", "best"},
               {"images_per_s", "images/s"},
               {"seconds", "time"},
               {"changed", "changed"}},
              {}};
  const HeldLocks locks = HeldLocks::now();
  for (const FoundRun& run : runs) {
    const RunFacts facts = read_run_facts(run.path, locks, unix_seconds());
    table.rows.push_back(
        {TableCell(run.name), TableCell(status_text(facts)), TableCell(facts.text("model")),
         TableCell(facts.text("dataset")), short_number(found(facts.last, "epoch")),
         whole(static_cast<double>(facts.step())), whole(found(facts.start, "total_steps")),
         short_number(found(facts.last, "loss")), TableCell(metric_name(facts)),
         score_cell(facts.score), score_cell(facts.best),
         short_number(found(facts.last, "images_per_s")), duration(seconds_of(facts)),
         TableCell(date_of(facts.changed))});
  }
  return table;
}

ComparedRun compared_run(const fs::path& run, std::string name) {
  ComparedRun made{std::move(name), read_run_facts(run), {}};
  try {
    made.options = recorded_options(run);
  } catch (const Error& error) {
    made.facts.problems.emplace_back(error.what());
  }
  return made;
}

Table comparison_of_runs(const std::vector<ComparedRun>& runs, bool all_options) {
  Table table{{{"what", ""}}, {}};
  for (const ComparedRun& run : runs) table.columns.push_back({run.name, run.name});
  for (ResultRow& row : result_rows(runs)) {
    row.cells.insert(row.cells.begin(), TableCell(row.key));
    table.rows.push_back(std::move(row.cells));
  }
  for (const std::string& key : compared_keys(runs, all_options)) {
    std::vector<TableCell> cells{TableCell("--" + key)};
    for (const ComparedRun& run : runs) {
      const auto at = std::ranges::find(run.options, key, &RecordedOption::key);
      cells.emplace_back(at == run.options.end() ? "" : at->text);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace convoy
