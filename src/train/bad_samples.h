// Samples that are no images: told one by one, and counted against --max-bad.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/loading/batch.h"

namespace convoy {

using TellBad = std::function<void(const Batch::Bad&)>;

// Tells of them and adds them to `count`; more than `most` are Fault::data.
void count_bad(const std::vector<Batch::Bad>& all, int64_t most, int64_t& count,
               const TellBad& tell);

// As one text, and back: for processes that tell one another.
std::string pack_bad(const std::vector<Batch::Bad>& bad);
void unpack_bad(const std::string& text, std::vector<Batch::Bad>& into);

}  // namespace convoy
