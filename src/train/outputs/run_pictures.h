// Pictures and histograms of a run for listeners that show them. Only rank 0 tells them; nothing
// here changes the run, and a picture that cannot be read is left out.
#pragma once

#include "data/loading/batch.h"
#include "train/run/run_site.h"

namespace convoy {

// The first images of a batch as the network sees them: cropped, augmented, and with its mean and
// deviation undone.
void tell_batch(const RunSite& site, const Batch& batch, int64_t step);

// The samples of an evaluation with the largest losses, and those that were right with the lowest
// confidence.
void tell_worst(const RunSite& site, const EvalDone& done);

// Histograms of each parameter and, unless the ranks share the optimizer, of its gradient in the
// last step.
void tell_histograms(const RunSite& site, int64_t step);

// A sample of a set as it is before augmentations. Fault::data if it cannot be read.
Pixels picture_of(const Dataset& set, int64_t index);

}  // namespace convoy
