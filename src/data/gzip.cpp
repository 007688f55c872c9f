#include "data/gzip.h"

#include <zlib.h>

#include <algorithm>

#include "base/error.h"

namespace convoy {
namespace {

// A file of our datasets expands to 47 MB; a damaged length must not eat the machine.
constexpr size_t largest_output = size_t{2} << 30;
constexpr int gzip_only = 15 + 16;  // zlib's code for: largest window, gzip header and checksum

struct Inflater {
  z_stream stream{};
  Inflater() { expect(inflateInit2(&stream, gzip_only) == Z_OK, "zlib does not start"); }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

}  // namespace

std::string gunzip(std::string_view compressed, const std::string& path) {
  Inflater inflater;
  z_stream& z = inflater.stream;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  z.avail_in = static_cast<uInt>(compressed.size());
  if (compressed.size() > largest_output) raise(Fault::data, "{} is too large for one file", path);

  std::string output(std::max<size_t>(compressed.size() * 4, 4096), '\0');
  size_t have = 0;
  while (true) {
    if (have == output.size()) {
      if (have >= largest_output) raise(Fault::data, "{} expands to more than 2 GiB", path);
      output.resize(have * 2);
    }
    z.next_out = reinterpret_cast<Bytef*>(output.data()) + have;
    const size_t room = std::min(output.size() - have, largest_output);
    z.avail_out = static_cast<uInt>(room);
    const int code = inflate(&z, Z_NO_FLUSH);
    have += room - z.avail_out;
    if (code == Z_STREAM_END) {
      if (z.avail_in == 0) break;
      inflateReset(&z);  // a file may be several gzip members in a row; what else follows is damage
    } else if (code == Z_BUF_ERROR || (code == Z_OK && z.avail_in == 0 && z.avail_out > 0)) {
      raise(Fault::data,
            "{} is truncated: it ends after {} bytes, inside the compressed data; try: "
            "install or download it again",
            path, compressed.size());
    } else if (code != Z_OK) {
      raise(Fault::data, "{} is damaged: {} near byte {}; try: install or download it again", path,
            z.msg ? z.msg : "not gzip data", compressed.size() - z.avail_in);
    }
  }
  output.resize(have);
  return output;
}

}  // namespace convoy
