// The folder plots/ of a run: pictures that the report shows, and those that it draws.
#pragma once

#include <vector>

#include "report/page/report_page.h"

namespace convoy {

// Reads the results of samples in `plots`, if they are there.
void read_results(ReportedRun& run, const fs::path& plots);

// Adds the pictures in `plots`, whoever drew them, but those whose content the page shows itself. A
// missing folder adds nothing.
void add_pictures(ReportedRun& run, const fs::path& plots);

// Writes curves.png with a line for each run to `folder`; of a single run with results of samples
// also confusion_matrix.png and calibration.png. A failure is Fault::usage.
void write_plots(const std::vector<ReportedRun>& runs, const fs::path& folder);

}  // namespace convoy
