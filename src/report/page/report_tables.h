// The tables of a report, as HTML.
#pragma once

#include <string>
#include <vector>

#include "report/page/report_page.h"

namespace convoy {

// The runs side by side: a column for each, what differs is marked.
std::string facts_table(const std::vector<ReportedRun>& runs);
// The options in which the runs differ; a sentence if they do not.
std::string differences_table(const std::vector<ReportedRun>& runs);
// What could not be read; empty if all was read.
std::string problems_list(const std::vector<ReportedRun>& runs);

std::string options_table(const std::vector<RecordedOption>& options);
std::string environment_table(const std::string& env_json);
std::string sessions_table(const std::vector<RunSession>& sessions);

}  // namespace convoy
