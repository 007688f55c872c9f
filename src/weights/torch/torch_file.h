// Files of torch.save, both forms. Zip (since torch 1.6): a folder with data.pkl, the pickle, and
// data/<key>, one member for each storage. Legacy: five pickles in a row (magic number, protocol,
// machine, the object, the keys of its storages), then the storages.
#pragma once

#include <string>

#include "weights/weight_data.h"

namespace convoy {

// `origin` stands for the path in messages.
WeightData read_torch_zip(SharedBytes bytes, const std::string& origin);
WeightData read_torch_legacy(SharedBytes bytes, const std::string& origin);

// The start of every legacy file: its magic number, pickled.
inline constexpr std::string_view torch_legacy_head{
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e", 15};

}  // namespace convoy
