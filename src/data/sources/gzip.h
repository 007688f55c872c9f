// Reading of .gz files.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

// A gzip file that is expanded piece by piece, into memory of the caller: a few bytes can claim to
// be gigabytes. Checksums are verified; a damaged or truncated file, or bytes after its end, are
// Fault::data.
class GzipReader {
 public:
  // Borrows the file's bytes; `path` is for the errors.
  GzipReader(std::string_view compressed, std::string path);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Fills `into` as far as the file goes; fewer bytes than asked for: it ended, and is sound.
  size_t read(std::span<uint8_t> into);

 private:
  struct Inflater;

  std::string_view compressed_;
  std::string path_;
  std::unique_ptr<Inflater> inflater_;
  bool ended_ = false;
};

}  // namespace convoy
