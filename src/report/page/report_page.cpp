#include "report/page/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "report/lines.h"
#include "report/page/asset.h"
#include "report/page/html.h"
#include "report/page/report_tables.h"
#include "report/page/results_html.h"
#include "version.h"

namespace convoy {
namespace {

constexpr size_t most_points = 800;  // of a curve
constexpr uint64_t most_environment_bytes = 64 << 10;

// As a Content-Security-Policy names a script.
std::string script_hash(std::string_view script) {
  const std::string hex = sha256_hex(script);
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return base64(bytes);
}

std::string_view picture_type(std::string_view bytes) {
  return bytes.starts_with("\x89PNG") ? "image/png" : "image/jpeg";
}

std::string pictures_of(const ReportSection& section) {
  std::string html = fmt::format("<h3>{}</h3>\n", in_html(section.title));
  if (!section.text.empty())
    html += fmt::format("<p class=\"soft\">{}</p>\n", in_html(section.text));
  html += fmt::format("<div class=\"pictures{}\">\n", section.large ? " large" : "");
  for (const ReportPicture& picture : section.pictures) {
    const std::string title = in_html(picture.title, 300);
    html += fmt::format(
        "<figure><img alt=\"{}\" src=\"data:{};base64,{}\"><figcaption>{}</figcaption></figure>\n",
        title, picture_type(picture.bytes), base64(picture.bytes), title);
  }
  return html + "</div>\n";
}

std::string about_run(const ReportedRun& run, size_t number) {
  std::string html = fmt::format("<section>\n<h2>{}</h2>\n", in_html(run.name, 200));
  if (run.results) html += results_html(*run.results, number);
  html += object_classes_html(run.class_lines);
  for (const ReportSection& section : run.sections) html += pictures_of(section);
  html +=
      "<h3>The command</h3>\n<p class=\"soft\">Trains it again, with the same data and build to "
      "the same weights:</p>\n";
  html += fmt::format("<pre>{}</pre>\n", in_html(command_of(run.options)));
  html += options_table(run.options);
  html += environment_table(run.environment);
  html += sessions_table(run.facts.sessions);
  return html + "</section>\n";
}

std::string data_of(const std::vector<ReportedRun>& runs) {
  std::string list;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i > 0) list += ",\n";
    const nlohmann::ordered_json name = one_line(shortened(runs[i].name, 200));
    list += fmt::format(R"({{"name":{},"number":{},"curves":{}}})", json_text(name), i,
                        curves_json(runs[i].curves, most_points));
  }
  std::string charts;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].results) continue;
    charts += (charts.empty() ? "" : ",\n") + calibration_json(*runs[i].results, i);
  }
  return in_script("{\"runs\":[" + list + "],\n\"charts\":[" + charts + "]}");
}

constexpr std::string_view controls = R"(<form id="controls" class="controls" hidden>
<label>along <select name="axis"><option>step</option><option>epoch</option><option>time</option></select></label>
<label>smoothing <input type="range" name="smooth" min="0" max="0.98" step="0.02" value="0"></label>
<label><input type="checkbox" name="log"> logarithmic losses</label>
</form>
<div id="charts" class="charts"></div>
<noscript><p>The curves need JavaScript; the pictures beside this file show them too.</p></noscript>
)";

}  // namespace

ReportedRun reported_run(const fs::path& run, std::string name) {
  ReportedRun found{.name = std::move(name),
                    .facts = read_run_facts(run),
                    .curves = RunCurves(run),
                    .options = {},
                    .environment = {},
                    .results = {},
                    .class_lines = {},
                    .sections = {}};
  const auto attempt = [&](const auto& read) {
    try {
      read();
    } catch (const Error& error) {
      const std::string problem = error.what();
      if (std::ranges::find(found.facts.problems, problem) == found.facts.problems.end()) {
        found.facts.problems.push_back(problem);
      }
    }
  };
  attempt([&] { found.curves.update(); });
  attempt([&] { found.options = recorded_options(run); });
  attempt([&] { found.environment = first_lines(run / "env.json", most_environment_bytes); });
  return found;
}

std::string command_of(const std::vector<RecordedOption>& options) {
  std::string command = "convoy train";
  for (const RecordedOption& option : options) {
    if (option.key != "config" && option.origin != "command line") continue;
    if (option.key == "config" && option.text.empty()) continue;
    if (option.value == "true" || option.value == "false") {  // a text would have quotes
      command += fmt::format(" --{}{}", option.value == "true" ? "" : "no-", option.key);
    } else {
      command += fmt::format(" --{} {}", option.key, in_shell(option.text));
    }
  }
  return command;
}

std::string report_page(const std::vector<ReportedRun>& runs) {
  std::string script;
  for (const char* name : {"chart.js", "panels.js", "report.js"}) script += asset(name);
  const std::string title =
      runs.size() == 1 ? in_html(runs[0].name, 200) : fmt::format("{} runs", runs.size());
  std::string html = fmt::format(
      R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>
{}</style>
</head>
<body>
<header>
<h1>{}</h1>
<p class="soft">Made by Convoy {} on {}.</p>
</header>
<main>
)",
      script_hash(script), title, asset("style.css"), title, version, date_and_time());
  html += facts_table(runs);
  html += problems_list(runs);
  html += "<h2>Curves</h2>\n";
  html += controls;
  if (runs.size() > 1) html += differences_table(runs);
  for (size_t i = 0; i < runs.size(); ++i) html += about_run(runs[i], i);
  html += fmt::format(
      "</main>\n<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n"
      "</body>\n</html>\n",
      data_of(runs), script);
  return html;
}

}  // namespace convoy
