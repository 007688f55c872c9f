// Checks the names of files that options of `convoy predict` ask for.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace convoy {

// The value of option `key`: empty, or a name that ends in .safetensors; else a usage error.
inline void need_safetensors(std::string_view key, const std::string& file) {
  if (file.empty() || file.ends_with(".safetensors")) return;
  raise(Fault::usage, "--{} {} is no .safetensors file; try: --{} {}.safetensors", key, file, key,
        key);
}

}  // namespace convoy
