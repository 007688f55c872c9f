#include "data/sources/record_index.h"

#include "records/small_features.h"

namespace convoy {
namespace {

constexpr uint64_t other_files = 128;  // that the program may have open otherwise

}  // namespace

RecordIndex::RecordIndex(const std::vector<fs::path>& paths, ThreadPool& pool) {
  const bool keep_open = allow_open_files(paths.size() + other_files);
  for (const fs::path& path : paths) files_.emplace_back(path, keep_open);
  std::vector<std::vector<RecordPlace>> found(files_.size());
  pool.run(static_cast<int>(files_.size()), [&](int i, int) {
    found[static_cast<size_t>(i)] = files_[static_cast<size_t>(i)].scan();
  });
  for (uint32_t file = 0; file < found.size(); ++file) {
    for (const RecordPlace& place : found[file]) entries_.push_back({place, file});
  }
}

void RecordIndex::read(int64_t index, std::string& record) const {
  file(index).read(place(index), record);
}

std::string RecordIndex::glance(int64_t index) const {
  const auto fetch = [&](uint64_t offset, size_t bytes) {
    return file(index).peek(place(index), offset, bytes);
  };
  return small_features(place(index).bytes, origin(index), fetch);
}

std::string RecordIndex::origin(int64_t index) const { return file(index).origin(place(index)); }

KeptSample RecordIndex::kept(int64_t index) const {
  const std::string name = file(index).path().filename().string();
  return {fmt::format("{} at byte {}", name, place(index).offset), place(index).bytes};
}

void RecordIndex::announce_read(int64_t index) const { file(index).announce_read(place(index)); }

}  // namespace convoy
