#include "report/page/report_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "base/text/text.h"
#include "report/page/html.h"

namespace convoy {
namespace {

std::string local_time(double unix_time) {
  const auto seconds = static_cast<std::time_t>(unix_time);
  std::tm parts{};
  if (!(unix_time > 0 && unix_time < 1e11) || !::localtime_r(&seconds, &parts)) return "";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// A row of values, one for each run.
struct FactRow {
  std::string title;
  std::string (*value)(const RunFacts& run);
};

std::string number_of(const std::map<std::string, double>& from, const std::string& key) {
  const auto found = from.find(key);
  if (found == from.end() || std::isnan(found->second)) return "";
  const double value = found->second;
  return std::abs(value) >= 1000 && std::abs(value) < 1e15 ? with_commas(std::llround(value))
                                                           : fmt::format("{:.4g}", value);
}

std::string score_of(const std::optional<RunScore>& score) {
  if (!score) return "";
  return fmt::format("{} {} in epoch {:.4g}", score->metric->title,
                     shown_value({score->metric, score->value}), score->epoch);
}

std::string status_of(const RunFacts& run) {
  std::string text(word_of(run.status));
  if (run.exit != 0) text += fmt::format(", exit {}", run.exit);
  return text;
}

std::string steps_of(const RunFacts& run) {
  return run.total_steps()
             ? fmt::format("{} of {}", with_commas(run.step()), with_commas(run.total_steps()))
             : with_commas(run.step());
}

std::string peak_of(const RunFacts& run) {
  const auto found = run.end.find("peak_rss_bytes");
  return found == run.end.end() ? "" : human_bytes(found->second);
}

std::string duration_of(const RunFacts& run) {
  const auto found = run.end.find("seconds");
  return found == run.end.end() ? "" : human_seconds(found->second);
}

const std::vector<FactRow>& fact_rows() {
  static const std::vector<FactRow> rows{
      {"status", status_of},
      {"model", [](const RunFacts& r) { return r.text("model"); }},
      {"parameters", [](const RunFacts& r) { return number_of(r.start, "parameters"); }},
      {"data", [](const RunFacts& r) { return r.text("dataset"); }},
      {"image", [](const RunFacts& r) { return r.text("image"); }},
      {"global batch", [](const RunFacts& r) { return number_of(r.start, "global_batch"); }},
      {"steps", steps_of},
      {"best", [](const RunFacts& r) { return score_of(r.best); }},
      {"last", [](const RunFacts& r) { return score_of(r.score); }},
      {"training loss", [](const RunFacts& r) { return number_of(r.last, "loss"); }},
      {"images a second", [](const RunFacts& r) { return number_of(r.last, "images_per_s"); }},
      {"time", duration_of},
      {"peak memory", peak_of},
      {"instruction set", [](const RunFacts& r) { return r.text("isa"); }},
      {"version", [](const RunFacts& r) { return r.text("version"); }},
      {"began", [](const RunFacts& r) { return local_time(r.began); }},
      {"weights", [](const RunFacts& r) { return r.weights_hash; }},
  };
  return rows;
}

bool all_equal(const std::vector<std::string>& values) {
  return std::ranges::all_of(values, [&](const auto& value) { return value == values.front(); });
}

std::string table_row(const std::string& title, const std::vector<std::string>& values) {
  std::string html = fmt::format("<tr{}><th scope=\"row\">{}</th>",
                                 all_equal(values) ? "" : " class=\"differs\"", in_html(title));
  for (const std::string& value : values) {
    html += fmt::format("<td class=\"value\">{}</td>", in_html(value, 300));
  }
  return html + "</tr>\n";
}

// A head with the names of the runs if there are several.
std::string table_head(const std::vector<ReportedRun>& runs) {
  if (runs.size() < 2) return "<div class=\"scroll\"><table>\n";
  std::string html = "<div class=\"scroll compared\"><table>\n";
  html += "<tr><td></td>";
  for (const ReportedRun& run : runs) {
    html += fmt::format("<th scope=\"col\">{}</th>", in_html(run.name, 100));
  }
  return html + "</tr>\n";
}

}  // namespace

std::string facts_table(const std::vector<ReportedRun>& runs) {
  std::string html = table_head(runs);
  for (const FactRow& row : fact_rows()) {
    std::vector<std::string> values;
    for (const ReportedRun& run : runs) values.push_back(row.value(run.facts));
    if (!std::ranges::all_of(values, &std::string::empty)) html += table_row(row.title, values);
  }
  return html + "</table></div>\n";
}

std::string differences_table(const std::vector<ReportedRun>& runs) {
  std::vector<std::string> keys;
  std::map<std::string, std::vector<std::string>> values;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const RecordedOption& option : runs[i].options) {
      auto& row = values[option.key];
      if (row.empty()) keys.push_back(option.key);
      row.resize(runs.size());
      row[i] = option.value;
    }
  }
  std::erase_if(keys, [&](const auto& key) { return all_equal(values[key]); });
  std::string html = "<h2>Options that differ</h2>\n";
  if (keys.empty()) return html + "<p>All runs have the same options.</p>\n";
  html += table_head(runs);
  for (const std::string& key : keys) html += table_row(key, values[key]);
  return html + "</table></div>\n";
}

std::string problems_list(const std::vector<ReportedRun>& runs) {
  std::string html;
  for (const ReportedRun& run : runs) {
    for (const std::string& problem : run.facts.problems) {
      html += fmt::format("<li class=\"bad\">{}</li>\n", in_html(problem, 500));
    }
    if (run.curves.damaged_lines() > 0) {
      html += fmt::format("<li class=\"bad\">{}: {} lines of metrics.jsonl are damaged</li>\n",
                          in_html(run.name, 200), run.curves.damaged_lines());
    }
  }
  return html.empty() ? "" : "<ul>\n" + html + "</ul>\n";
}

std::string options_table(const std::vector<RecordedOption>& options) {
  const auto table = [&](bool defaults) {
    std::string html = fmt::format(
        "<div class=\"scroll{}\"><table>\n<tr><th scope=\"col\">option</th><th "
        "scope=\"col\">value</th><th scope=\"col\">from</th></tr>\n",
        defaults ? " defaults" : "");
    for (const RecordedOption& option : options) {
      if (option.is_default() != defaults) continue;
      html += fmt::format(
          "<tr><td>{}</td><td class=\"value mono\">{}</td><td class=\"soft\">{}</td></tr>\n",
          in_html(option.key), in_html(option.value, 300), in_html(option.origin, 200));
    }
    return html + "</table></div>\n";
  };
  return fmt::format(
      "<details open><summary>Options that were given</summary>\n{}</details>\n"
      "<details><summary>Options with their default values</summary>\n{}</details>\n",
      table(false), table(true));
}

std::string environment_table(const std::string& env_json) {
  std::string rows;
  try {
    const nlohmann::ordered_json env = parse_ordered_json(env_json);
    for (const auto& [key, value] : env.items()) {
      rows += fmt::format(
          "<tr><th scope=\"row\">{}</th><td class=\"value\">{}</td></tr>\n", in_html(key, 100),
          in_html(value.is_string() ? value.get<std::string>() : value.dump(), 300));
    }
  } catch (const JsonError&) {  // absent or damaged
    rows = "<tr><td>env.json cannot be read</td></tr>\n";
  }
  return fmt::format(
      "<details><summary>Environment</summary>\n<div class=\"scroll\"><table>\n{}</table></div>"
      "</details>\n",
      rows);
}

std::string sessions_table(const std::vector<RunSession>& sessions) {
  constexpr size_t most = 200;
  std::string rows;
  const size_t first = sessions.size() - std::min(most, sessions.size());
  for (size_t i = first; i < sessions.size(); ++i) {
    const RunSession& session = sessions[i];
    std::string text = session.text;
    for (const auto& [key, value] : session.numbers) {
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", key,
                      key.ends_with("bytes") ? human_bytes(value) : fmt::format("{:.4g}", value));
    }
    rows += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td><td class=\"value\">{}"
        "</td></tr>\n",
        local_time(session.time), in_html(session.event, 40), session.step,
        in_html(session.host, 60), in_html(text, 600));
  }
  return fmt::format(
      "<details><summary>Processes that worked on it</summary>\n<div class=\"scroll\"><table>\n"
      "<tr><th scope=\"col\">time</th><th scope=\"col\">event</th><th scope=\"col\">step</th>"
      "<th scope=\"col\">host</th><th scope=\"col\"></th></tr>\n{}</table></div></details>\n",
      rows);
}

}  // namespace convoy
