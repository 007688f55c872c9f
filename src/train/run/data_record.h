// data.jsonl of the run directory: the pictures with which a run trains. Added or removed pictures
// change what every later step sees, so a resumed run must find the same pictures, though their
// folder may have moved.
#pragma once

#include "base/files/file.h"
#include "train/run/run_setup.h"

namespace convoy {

// Writes names and sizes of all pictures; writes nothing for datasets of another kind or with more
// than 250,000 pictures.
void record_data(const fs::path& file, const RunSetup& setup);

// Fault::data that names missing, new or resized pictures. Without the file nothing is checked.
void expect_recorded_data(const fs::path& file, const RunSetup& setup);

}  // namespace convoy
