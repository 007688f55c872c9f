#include "data/sources/cifar_files.h"

#include <algorithm>

#include "base/files/file.h"
#include "data/sources/data_file.h"
#include "data/sources/memory_dataset.h"

namespace convoy {
namespace {

constexpr Shape image{3, 32, 32};
constexpr std::string_view advice =
    "try: --data-dir with the files of the official binary version "
    "(www.cs.toronto.edu/~kriz/cifar.html)";

// The files of CIFAR's Python version, which are pickles, have the same names without `.bin`.
bool is_python(const CifarFormat& format, const fs::path& data_dir) {
  const std::string name = fs::path(format.files.front().name).stem().string();
  for (const fs::path& entry :
       {data_dir, data_dir / "cifar-10-batches-py", data_dir / "cifar-100-python"}) {
    if (is_there(entry / name)) return true;
  }
  return false;
}

// The folder with the split's first file.
fs::path find_folder(const CifarFormat& format, const fs::path& data_dir, bool train) {
  const auto first = std::find_if(format.files.begin(), format.files.end(),
                                  [&](const CifarFile& file) { return file.train == train; });
  for (const fs::path& folder : {data_dir, data_dir / format.folder}) {
    if (is_there(folder / first->name)) return folder;
  }
  raise(Fault::data, "there is no {} in {} nor in its folder {}{}; {}", first->name,
        data_dir.string(), format.folder,
        is_python(format, data_dir) ? ": it is the Python version" : "", advice);
}

// Whether any existing file of the set has the length of the official release.
bool is_official(const CifarFormat& format, const fs::path& folder, int64_t record_bytes) {
  return std::any_of(format.files.begin(), format.files.end(), [&](const CifarFile& file) {
    std::error_code ignored;
    return fs::file_size(folder / file.name, ignored) ==
           static_cast<uintmax_t>(file.records * record_bytes);
  });
}

}  // namespace

bool has_cifar(const CifarFormat& format, const fs::path& folder) {
  return std::ranges::any_of(format.files, [&](const CifarFile& file) {
    std::error_code ignored;
    return fs::is_regular_file(folder / file.name, ignored) ||
           fs::is_regular_file(folder / format.folder / file.name, ignored);
  });
}

std::unique_ptr<Dataset> open_cifar(const CifarFormat& format, const std::string& data_dir,
                                    bool train) {
  const int64_t record_bytes = format.label_bytes + image.count();
  const fs::path folder = find_folder(format, data_dir, train);
  const bool official = is_official(format, folder, record_bytes);

  std::vector<uint8_t> pixels, labels;
  for (const CifarFile& file : format.files) {
    if (file.train != train) continue;
    const fs::path path = folder / file.name;
    if (!is_there(path))
      raise(Fault::data, "there is no {} in {}; {}", file.name, folder.string(), advice);
    const std::string bytes = read_file(path, Fault::data);
    const auto size = static_cast<int64_t>(bytes.size());
    if (size == 0 || size % record_bytes != 0) {
      raise(Fault::data, "{} is truncated: {} bytes are not a whole number of {}-byte records; {}",
            path.string(), size, record_bytes, advice);
    }
    const int64_t records = size / record_bytes;
    if (official && records != file.records) {
      raise(Fault::data, "{} is {}: {} records, expected {}; {}", path.string(),
            records < file.records ? "truncated" : "too long", records, file.records, advice);
    }
    pixels.reserve(pixels.size() + static_cast<size_t>(records * image.count()));
    for (int64_t record = 0; record < records; ++record) {
      const auto* at = reinterpret_cast<const uint8_t*>(bytes.data()) + record * record_bytes;
      const uint8_t label = at[format.label_bytes - 1];
      if (label >= format.names.size()) {
        raise(Fault::data, "{}: record {} has the label {}, but there are {} classes; {}",
              path.string(), record, label, format.names.size(), advice);
      }
      labels.push_back(label);
      pixels.insert(pixels.end(), at + format.label_bytes, at + record_bytes);
    }
  }
  return std::make_unique<MemoryDataset>(image, format.names, std::move(pixels), std::move(labels));
}

}  // namespace convoy
