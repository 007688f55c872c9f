// Names of files that are written beside the one they will replace: `.NAME.0123456789abcdef.tmp`.
// The digits are random, so that a link cannot be laid there beforehand; the form tells such files
// from others, so that what a killed process left behind is found again.
#pragma once

#include "base/files/file.h"

namespace convoy {

// 16 hex digits from the random numbers of the system.
std::string unpredictable_digits();

// Another one at every call, in the folder of `path`.
fs::path temporary_name(const fs::path& path);

// A new file of such a name, open for writing and locked until it is closed: it belongs to a
// process that lives. `name` is set. Negative: errno says why there is none.
int open_temporary(const fs::path& path, fs::path& name);

// Removes what dead processes left of `path`; or of anything in a folder, or below it too. What a
// live process writes, and what the system does not let us remove, stays.
void remove_leftovers_of(const fs::path& path);
void remove_leftovers_in(const fs::path& folder);
void remove_leftovers_below(const fs::path& folder);

}  // namespace convoy
