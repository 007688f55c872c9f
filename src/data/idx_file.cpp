#include "data/idx_file.h"

#include "data/data_file.h"
#include "data/gzip.h"

namespace convoy {
namespace {

constexpr uint32_t unsigned_bytes = 0x0800;  // the element type's place in the magic number

uint32_t big_endian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
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
  std::string bytes = read_file(path, Fault::data);
  if (zipped) bytes = gunzip(bytes, file.path);

  const size_t header = 4 + 4 * static_cast<size_t>(rank);
  if (bytes.size() < header) {
    raise(Fault::data, "{} is truncated: {} bytes, but an IDX header alone has {}; try: {}",
          file.path, bytes.size(), header, source);
  }
  const uint32_t magic = unsigned_bytes | static_cast<uint32_t>(rank);
  if (big_endian(bytes, 0) != magic) {
    raise(Fault::data,
          "{} is not the IDX file it should be: magic number {:08x}, expected {:08x}; try: {}",
          file.path, big_endian(bytes, 0), magic, source);
  }
  // At most 3 dimensions of 32 bits: only the last product can overflow, so it is not formed when
  // the file is too small already.
  uint64_t promised = 1;
  for (int i = 0; i < rank; ++i) {
    const uint32_t dim = big_endian(bytes, 4 + 4 * static_cast<size_t>(i));
    file.dims.push_back(dim);
    promised = promised > bytes.size() && dim > 0 ? promised : promised * dim;
  }
  if (bytes.size() - header != promised) {
    raise(Fault::data, "{} {}: {} bytes after the header, which promises {}; try: {}", file.path,
          bytes.size() - header < promised ? "is truncated" : "is too long", bytes.size() - header,
          promised, source);
  }
  file.data.assign(bytes.begin() + static_cast<ptrdiff_t>(header), bytes.end());
  return file;
}

}  // namespace convoy
