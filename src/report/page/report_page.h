// The report of one or several runs as one HTML file: it loads nothing, works from a disk and on
// paper, and shows the curves with scripts that are in it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/page/run_json.h"
#include "report/results/class_results.h"

namespace convoy {

// A picture in the page.
struct ReportPicture {
  std::string title;
  std::string bytes;  // PNG or JPEG
};

struct ReportSection {
  std::string title;
  std::string text;  // a line above the pictures; may be empty
  std::vector<ReportPicture> pictures;
  bool large = false;  // plots; otherwise small images
};

struct ReportedRun {
  std::string name;
  RunFacts facts;
  RunCurves curves;
  std::vector<RecordedOption> options;
  std::string environment;              // the text of env.json
  std::optional<ClassResults> results;  // of the samples of the last evaluation
  std::string class_lines;              // of a detector: the table of plots/classes.txt
  std::vector<ReportSection> sections;
};

// Reads the folder; what cannot be read is among the problems of the facts.
ReportedRun reported_run(const fs::path& run, std::string name);

std::string report_page(const std::vector<ReportedRun>& runs);

// The command that trains the run again: its recipe and the options that were typed.
std::string command_of(const std::vector<RecordedOption>& options);

}  // namespace convoy
