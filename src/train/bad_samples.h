// Samples that are no images: told one by one, and counted against --max-bad.
#pragma once

#include <cstdint>
#include <functional>

#include "data/batch.h"

namespace convoy {

using TellBad = std::function<void(const Batch::Bad&)>;

// Tells of those of a batch and adds them to `count`; more than `most` are Fault::data.
void count_bad(const Batch& batch, int64_t most, int64_t& count, const TellBad& tell);

}  // namespace convoy
