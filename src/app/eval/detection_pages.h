// Pages of pictures with their objects as they are and as a detector found them.
#pragma once

#include "app/eval/detection_plots.h"

namespace convoy {

// The pages among the files of write_detection_plots.
void write_detection_pages(const fs::path& folder, const DetectionSummary& summary,
                           const Dataset& data);

}  // namespace convoy
