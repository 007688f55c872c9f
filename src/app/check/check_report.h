// The findings of `convoy check` for people, for programs, and as a list of all files.
#pragma once

#include "app/check/check_findings.h"

namespace convoy {

std::string findings_text(const Findings& findings, const std::string& folder);
std::string findings_json(const Findings& findings, const std::string& folder);

// A line of names, then one for each file: path, bytes, hash, width, height, components, label,
// with tabs between. Tabs, ends of lines and backslashes in names are written \t, \n, \\.
std::string manifest_text(const std::vector<CheckedFile>& files);

}  // namespace convoy
