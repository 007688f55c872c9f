// The folder that a user names for a dataset: the commonest mistake, and so the best messages.
#pragma once

#include "base/files/file.h"

namespace convoy {

// Fault::data where it is not there (the nearest name is told), a file, or not to be looked into.
void expect_folder(const fs::path& folder);

// For a folder in which no dataset was recognised: Fault::data as above, or that it is empty, or
// with what is in it; and what a dataset looks like.
[[noreturn]] void refuse_folder(const fs::path& folder);

}  // namespace convoy
