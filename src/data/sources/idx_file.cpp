#include "data/sources/idx_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "data/sources/data_file.h"
#include "data/sources/gzip.h"

namespace convoy {
namespace {

constexpr uint32_t unsigned_bytes = 0x0800;  // the element type in the magic number
// Limit of decompression: this multiple of the file's size, but at least this many bytes. Pictures
// of digits and clothes shrink only to between a half and a fifth.
constexpr uint64_t most_expansion = 16, small_anyway = 16 << 20;

uint32_t big_endian(std::span<const uint8_t> bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) value = value << 8 | bytes[i];
  return value;
}

// The content of a file, plain or compressed, read from its beginning.
class Content {
 public:
  Content(std::string bytes, bool zipped, const std::string& path) : bytes_(std::move(bytes)) {
    if (zipped) gzip_.emplace(bytes_, path);
    const uint64_t size = bytes_.size();
    most_ = zipped ? std::max(size * most_expansion, small_anyway) : size;
  }

  // Returns fewer bytes only at the end.
  size_t read(std::span<uint8_t> into) {
    if (gzip_) return gzip_->read(into);
    const size_t count = std::min(into.size(), bytes_.size() - at_);
    std::copy_n(bytes_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }
  // The upper limit of the content's size.
  uint64_t most() const { return most_; }
  bool is_zipped() const { return gzip_.has_value(); }

 private:
  const std::string bytes_;
  std::optional<GzipReader> gzip_;
  size_t at_ = 0;
  uint64_t most_;
};

// The product of the dimensions, saturated at UINT64_MAX; 0 if one is zero.
uint64_t product(const std::vector<int64_t>& dims) {
  uint64_t product = 1;
  for (const int64_t dim : dims) {
    if (dim == 0) return 0;
    if (__builtin_mul_overflow(product, static_cast<uint64_t>(dim), &product)) return UINT64_MAX;
  }
  return product;
}

// Reads exactly the bytes that the header declares. Refuses impossible sizes before it allocates.
void read_data(Content& content, IdxFile& file, const std::string& source) {
  const uint64_t promised = product(file.dims);
  if (content.is_zipped() && promised > content.most()) {
    raise(Fault::data,
          "{}: promises {} bytes, more than a zipped file of its size may hold; try: {}", file.path,
          promised, source);
  }
  file.data.resize(static_cast<size_t>(std::min(promised, content.most())));
  const size_t have = content.read(file.data);
  std::array<uint8_t, 4096> more;
  const size_t behind = have < file.data.size() ? 0 : content.read(more);
  if (have == promised && behind == 0) return;
  const bool is_long = have == promised;
  raise(Fault::data, "{} {}: {}{} bytes after the header, which promises {}; try: {}", file.path,
        is_long ? "is too long" : "is truncated", behind == more.size() ? "at least " : "",
        have + behind, promised, source);
}

}  // namespace

IdxFile read_idx(const fs::path& folder, const std::string& stem, int rank,
                 const std::string& source) {
  fs::path path = folder / stem;
  const bool zipped = !is_there(path);
  if (zipped) path += ".gz";
  if (!is_there(path)) {
    raise(Fault::data, "there is no {} nor {}.gz in {}; try: {}", stem, stem, folder.string(),
          source);
  }
  IdxFile file{.path = path.string(), .dims = {}, .data = {}};
  Content content(read_file(path, Fault::data), zipped, file.path);

  std::vector<uint8_t> header(4 + 4 * static_cast<size_t>(rank));
  if (const size_t have = content.read(header); have < header.size()) {
    raise(Fault::data, "{} is truncated: {} bytes, but an IDX header alone has {}; try: {}",
          file.path, have, header.size(), source);
  }
  const uint32_t magic = unsigned_bytes | static_cast<uint32_t>(rank);
  if (big_endian(header, 0) != magic) {
    raise(Fault::data,
          "{} is not the IDX file it should be: magic number {:08x}, expected {:08x}; try: {}",
          file.path, big_endian(header, 0), magic, source);
  }
  for (size_t at = 4; at < header.size(); at += 4) file.dims.push_back(big_endian(header, at));
  read_data(content, file, source);
  return file;
}

}  // namespace convoy
