// Names of temporary files beside the file they will replace: `.NAME.0123456789abcdef.tmp`. The
// digits are random, so that an attacker cannot place a link there beforehand. The fixed form lets
// a later process find and remove the files of a killed one.
#pragma once

#include "base/files/file.h"

namespace convoy {

// 16 hex digits from the system's random numbers.
std::string unpredictable_digits();

// A new name in the folder of `path` at every call.
fs::path temporary_name(const fs::path& path);

// Creates such a file, open for writing and locked until it is closed: the lock shows that its
// process is alive. Sets `name`. Negative: errno has the reason.
int open_temporary(const fs::path& path, fs::path& name);

// Remove the temporary files that dead processes left: of `path`, directly in a folder, or anywhere
// below it. Files of live processes stay, and files that the system does not let us remove.
void remove_leftovers_of(const fs::path& path);
void remove_leftovers_in(const fs::path& folder);
void remove_leftovers_below(const fs::path& folder);

}  // namespace convoy
