// The pictures that a run trains with, as it recorded them: data.jsonl of the run directory. A
// picture that comes or goes changes what every later step sees, so that a run which goes on must
// find the same ones, wherever they lie by then.
#pragma once

#include "base/files/file.h"
#include "train/run/run_setup.h"

namespace convoy {

// Writes the names and sizes of all pictures; nothing for sets of another kind, or of more than a
// quarter of a million.
void record_data(const fs::path& file, const RunSetup& setup);

// Fault::data that names what is gone, new or of another size since; a file that is not there tells
// nothing.
void expect_recorded_data(const fs::path& file, const RunSetup& setup);

}  // namespace convoy
