#include "data/sources/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "base/error.h"

namespace convoy {
namespace {

constexpr size_t largest_part = size_t{1} << 30;  // zlib counts in 32 bits
constexpr int gzip_only = 15 + 16;  // zlib's code for: largest window, gzip header and checksum

}  // namespace

struct GzipReader::Inflater {
  z_stream stream{};
  Inflater() { expect(inflateInit2(&stream, gzip_only) == Z_OK, "zlib does not start"); }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

GzipReader::GzipReader(std::string_view compressed, std::string path)
    : compressed_(compressed), path_(std::move(path)), inflater_(std::make_unique<Inflater>()) {
  if (compressed.size() > largest_part) raise(Fault::data, "{} is too large for one file", path_);
  z_stream& z = inflater_->stream;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  z.avail_in = static_cast<uInt>(compressed.size());
}

GzipReader::~GzipReader() = default;

size_t GzipReader::read(std::span<uint8_t> into) {
  z_stream& z = inflater_->stream;
  size_t have = 0;
  while (have < into.size() && !ended_) {
    const size_t room = std::min(into.size() - have, largest_part);
    z.next_out = into.data() + have;
    z.avail_out = static_cast<uInt>(room);
    const int code = inflate(&z, Z_NO_FLUSH);
    have += room - z.avail_out;
    if (code == Z_STREAM_END) {
      ended_ = z.avail_in == 0;
      inflateReset(&z);  // several gzip members may follow each other; anything else is damage
    } else if (code == Z_BUF_ERROR || (code == Z_OK && z.avail_in == 0 && z.avail_out > 0)) {
      raise(Fault::data,
            "{} is truncated: it ends after {} bytes, inside the compressed data; try: "
            "install or download it again",
            path_, compressed_.size());
    } else if (code != Z_OK) {
      raise(Fault::data, "{} is damaged: {} near byte {}; try: install or download it again", path_,
            z.msg ? z.msg : "not gzip data", compressed_.size() - z.avail_in);
    }
  }
  return have;
}

}  // namespace convoy
