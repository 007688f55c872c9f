#include "weights/weight_file.h"

#include <algorithm>
#include <fstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/text/text.h"

namespace convoy {
namespace {

constexpr size_t head_bytes = 256, tail_bytes = 8;

Glimpse glimpse_of(const fs::path& path) {
  Glimpse glimpse{path, {}, {}};
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return glimpse;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return glimpse;
  const auto size = static_cast<size_t>(std::max<std::streamoff>(file.tellg(), 0));
  glimpse.head.resize(std::min(size, head_bytes));
  file.seekg(0).read(glimpse.head.data(), static_cast<std::streamsize>(glimpse.head.size()));
  glimpse.tail.resize(std::min(size, tail_bytes));
  file.seekg(static_cast<std::streamoff>(size - glimpse.tail.size()))
      .read(glimpse.tail.data(), static_cast<std::streamsize>(glimpse.tail.size()));
  return glimpse;
}

// For common files that are not weights: what they are and what to do.
std::string known_stranger(const Glimpse& glimpse) {
  if (glimpse.head.starts_with("\x89HDF")) return "it is HDF5: save a TensorFlow checkpoint";
  if (glimpse.path.extension() == ".onnx")
    return "the run or safetensors file that this ONNX file was made from";
  if (glimpse.head.starts_with("version https://git-lfs")) return "git lfs pull: it is a pointer";
  return "";
}

}  // namespace

WeightFile WeightFile::read(const fs::path& path) {
  const Glimpse glimpse = glimpse_of(path);
  for (const WeightFormat& format : weight_format_catalog()) {
    if (format.recognises(glimpse)) return {format.name, format.read(path)};
  }
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    raise_file_error("read", path, ENOENT, Fault::checkpoint);
  }
  if (fs::is_directory(path, ignored)) {
    raise(Fault::checkpoint,
          "{} is neither a run directory nor a folder with a TensorFlow checkpoint; try: a file of "
          "weights",
          path.string());
  }
  if (glimpse.head.empty()) {
    read_file(path, Fault::checkpoint);  // raises the reason why it cannot be read
    raise(Fault::checkpoint, "{} is empty; try: another file of weights", path.string());
  }
  std::vector<std::string> known;
  for (const WeightFormat& format : weight_format_catalog()) known.emplace_back(format.name);
  const std::string advice = known_stranger(glimpse);
  raise(Fault::checkpoint, "{} is no weights file of a known format; try: {}", path.string(),
        advice.empty() ? "one of these: " + join(known, ", ") : advice);
}

WeightFile::WeightFile(std::string_view format, WeightData data)
    : format_(format), data_(std::move(data)) {
  data_.finish();
}

const TensorEntry* WeightFile::find(std::string_view name) const {
  const auto& all = tensors();
  const auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const TensorEntry& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

}  // namespace convoy
