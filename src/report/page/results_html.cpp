#include "report/page/results_html.h"

#include <fmt/format.h>

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

}  // namespace

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
