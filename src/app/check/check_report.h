// The findings of `convoy check` as text, as JSON, and as a list of all files.
#pragma once

#include "app/check/check_findings.h"

namespace convoy {

std::string findings_text(const Findings& findings, const std::string& folder);
std::string findings_json(const Findings& findings, const std::string& folder);

// A header line, then one line per file: path, bytes, hash, width, height, components, label,
// separated by tabs. Tabs, newlines and backslashes in names are written \t, \n, \\.
std::string manifest_text(const std::vector<CheckedFile>& files);

}  // namespace convoy
