// Reads .gz files.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

// Decompresses a gzip file piece by piece into the caller's memory: a few bytes can expand to
// gigabytes. Verifies checksums; a damaged or truncated file, or bytes after its end, are
// Fault::data.
class GzipReader {
 public:
  // Borrows the file's bytes; `path` is for errors.
  GzipReader(std::string_view compressed, std::string path);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Fills `into`. Fewer bytes than that: the file has ended and is intact.
  size_t read(std::span<uint8_t> into);

 private:
  struct Inflater;

  std::string_view compressed_;
  std::string path_;
  std::unique_ptr<Inflater> inflater_;
  bool ended_ = false;
};

}  // namespace convoy
