// The folder plots/ of a run: pictures that the report shows, and those that it draws.
#pragma once

#include <string>
#include <vector>

#include "report/page/report_page.h"

namespace convoy {

// A folder of a run, and the run's name in a report.
struct NamedRun {
  fs::path folder;
  std::string name;
};

// Writes the page of these runs and, to its folder, which it makes, the plots that it draws. What
// cannot be read is told on the page; a failed write is Fault::usage.
void write_report(const std::vector<NamedRun>& runs, const fs::path& page);

// What a picture of plots/ shows, by the name of its file; else that name.
std::string picture_title(const std::string& file);
// Names of pictures as a report has them: known ones first, in a fixed order.
void sort_pictures(std::vector<std::string>& names);

// Reads the results of samples and of classes in `plots`, if they are there.
void read_results(ReportedRun& run, const fs::path& plots);

// Adds the pictures in `plots`, whoever drew them, but those whose content the page shows itself. A
// missing folder adds nothing.
void add_pictures(ReportedRun& run, const fs::path& plots);

// Writes curves.png with a line for each run to `folder`; of a single run with results of samples
// also confusion_matrix.png and calibration.png. A failure is Fault::usage.
void write_plots(const std::vector<ReportedRun>& runs, const fs::path& folder);

}  // namespace convoy
