#include "report/page/results_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/page/html.h"
#include "report/results/result_plots.h"

namespace convoy {
namespace {

constexpr size_t most_name = 60, open_classes = 12;

// A table whose cells are the darker the larger their share of the row.
std::string matrix_table(const ClassResults& results) {
  std::string html =
      "<div class=\"scroll\"><table class=\"matrix\">\n<caption class=\"soft\">rows: truth, "
      "columns: prediction</caption>\n<tr><td></td>";
  for (const ClassRow& row : results.classes) {
    html += fmt::format("<th scope=\"col\">{}</th>", in_html(row.name, most_name));
  }
  html += "</tr>\n";
  for (size_t truth = 0; truth < results.classes.size(); ++truth) {
    const ClassRow& row = results.classes[truth];
    html += fmt::format("<tr><th scope=\"row\">{}</th>", in_html(row.name, most_name));
    for (size_t predicted = 0; predicted < results.classes.size(); ++predicted) {
      const int64_t count = results.count(truth, predicted);
      if (count == 0) {
        html += "<td></td>";
        continue;
      }
      const double share = static_cast<double>(count) / static_cast<double>(row.samples);
      html += fmt::format("<td style=\"background:rgba(var(--heat),{:.2f})\">{}</td>",
                          0.08 + 0.62 * share, count);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string class_table(const ClassResults& results) {
  std::string html = fmt::format(
      "<details{}><summary>Each class</summary>\n<div class=\"scroll\"><table>\n<tr><th "
      "scope=\"col\">class</th>",
      results.classes.size() <= open_classes ? " open" : "");
  for (const char* title : {"samples", "right", "precision", "recall", "F1"}) {
    html += fmt::format("<th scope=\"col\" class=\"number\">{}</th>", title);
  }
  html += "</tr>\n";
  for (const ClassRow& row : results.classes) {
    html += fmt::format(
        "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"number\">{:.4f}</td><td class=\"number\">{:.4f}</td><td "
        "class=\"number\">{:.4f}</td></tr>\n",
        in_html(row.name, most_name), row.samples, row.right, row.precision(), row.recall(),
        row.f1());
  }
  return html + "</table></div></details>\n";
}

std::string confusion_list(const ClassResults& results) {
  if (results.confusions.empty()) return "";
  std::string html = "<details open><summary>Most frequent mistakes</summary>\n<ul>\n";
  for (const Confusion& one : results.confusions) {
    html +=
        fmt::format("<li>{} × {} taken for {}</li>\n", one.samples,
                    in_html(results.classes[static_cast<size_t>(one.truth)].name, most_name),
                    in_html(results.classes[static_cast<size_t>(one.predicted)].name, most_name));
  }
  return html + "</ul></details>\n";
}

constexpr size_t object_columns = 6;

// The cells of a line: a name, which may have blanks, and numbers behind it. Empty: it is no line
// of the table.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  while (cells.size() < object_columns) {
    while (line.ends_with(' ')) line.remove_suffix(1);
    const size_t blank = line.rfind(' ');
    if (blank == line.npos) return {};
    cells.emplace_back(line.substr(blank + 1));
    line.remove_suffix(line.size() - blank);
  }
  while (line.ends_with(' ')) line.remove_suffix(1);
  cells.emplace_back(line);
  std::ranges::reverse(cells);
  return cells;
}

}  // namespace

std::string object_classes_html(std::string_view lines) {
  std::string rows;
  size_t count = 0;
  for (; !lines.empty(); ++count) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::vector<std::string> cells = cells_of(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (cells.empty() || (count == 0 && cells[0] != "class")) return "";
    const char* tag = count == 0 ? "th" : "td";
    rows += fmt::format("<tr><th scope=\"{}\">{}</th>", count == 0 ? "col" : "row",
                        in_html(cells[0], most_name));
    for (size_t i = 1; i < cells.size(); ++i) {
      rows += fmt::format("<{} class=\"number\">{}</{}>", tag, in_html(cells[i], most_name), tag);
    }
    rows += "</tr>\n";
  }
  if (count < 2) return "";
  return fmt::format(
      "<details{}><summary>Each class, by the best weights</summary>\n<div "
      "class=\"scroll\"><table>\n{}</table></div></details>\n",
      count <= open_classes + 2 ? " open" : "", rows);
}

std::string results_html(const ClassResults& results, size_t number) {
  std::string html = fmt::format("<h3>Results of {} samples, {} of them right</h3>\n",
                                 results.samples, results.right);
  if (results.classes.size() <= most_in_matrix) html += matrix_table(results);
  html += fmt::format("<div class=\"charts\"><div id=\"calibration-{}\"></div></div>\n", number);
  return html + confusion_list(results) + class_table(results);
}

std::string calibration_json(const ClassResults& results, size_t number) {
  std::string x, y;
  for (const CalibrationBin& bin : results.bins) {
    if (bin.samples == 0) continue;
    const auto count = static_cast<double>(bin.samples);
    x += fmt::format("{}{:.4g}", x.empty() ? "" : ",", bin.confidence / count);
    y += fmt::format("{}{:.4g}", y.empty() ? "" : ",", static_cast<double>(bin.right) / count);
  }
  return fmt::format(
      R"({{"id":"calibration-{}","title":"calibration: expected error {:.4f}","xTitle":"confidence",)"
      R"("square":true,"covers":[0,1],"series":[{{"name":"ideal","number":6,"x":[0,1],"y":[0,1]}},)"
      R"({{"name":"share that is right","number":0,"x":[{}],"y":[{}]}}]}})",
      number, results.calibration_error, x, y);
}

}  // namespace convoy
