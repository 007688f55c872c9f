// Samples that cannot be decoded: each one is reported, and their number is limited by --max-bad.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "data/loading/batch.h"

namespace convoy {

using TellBad = std::function<void(const Batch::Bad&)>;

// Reports each of them and adds their number to `count`; more than `most` in total are Fault::data.
void count_bad(const std::vector<Batch::Bad>& all, int64_t most, int64_t& count,
               const TellBad& tell);

// Serialises bad samples to text and back, to send them to other processes.
std::string pack_bad(const std::vector<Batch::Bad>& bad);
void unpack_bad(const std::string& text, std::vector<Batch::Bad>& into);

}  // namespace convoy
