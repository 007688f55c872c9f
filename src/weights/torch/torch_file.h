// Reads both forms of torch.save. Zip (since torch 1.6): a folder with data.pkl, the pickle, and
// one member data/<key> per storage. Legacy: five pickles in a row (magic number, protocol,
// machine, the object, the keys of its storages), then the storages.
#pragma once

#include <string>

#include "weights/weight_data.h"

namespace convoy {

// `origin` replaces the path in messages.
WeightData read_torch_zip(SharedBytes bytes, const std::string& origin);
WeightData read_torch_legacy(SharedBytes bytes, const std::string& origin);

// The first bytes of every legacy file: the pickled magic number.
inline constexpr std::string_view torch_legacy_head{
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e", 15};

}  // namespace convoy
