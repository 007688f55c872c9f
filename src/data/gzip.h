// Reading of .gz files.
#pragma once

#include <string>
#include <string_view>

namespace convoy {

// What the gzip file's bytes expand to; `path` is for the errors. Checksums are verified: a damaged
// or truncated file, or bytes after its end, are Fault::data.
std::string gunzip(std::string_view compressed, const std::string& path);

}  // namespace convoy
