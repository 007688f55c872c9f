// Checks the folder that a user names for a dataset, and explains what is wrong with it.
#pragma once

#include "base/files/file.h"

namespace convoy {

// Fault::data if it does not exist (the message names the nearest folder), is a file, or cannot be
// read.
void expect_folder(const fs::path& folder);

// For a folder in which no dataset was recognised: raises Fault::data as above, or tells that it is
// empty or what it contains, and what a dataset looks like.
[[noreturn]] void refuse_folder(const fs::path& folder);

}  // namespace convoy
