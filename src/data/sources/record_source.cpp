#include "data/sources/record_source.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/threads/cores.h"
#include "base/threads/thread_pool.h"
#include "data/classes/record_classes.h"
#include "data/sources/record_shards.h"
#include "records/example.h"
#include "records/small_features.h"
#include "records/tfrecord.h"

namespace convoy {
namespace {

constexpr int64_t imagenet_classes = 1000;
constexpr uint64_t other_files = 128;  // that the program may have open otherwise

struct IndexEntry {
  RecordPlace place;
  uint32_t file = 0;
};

// The record files of one split, and the offset of each record.
class RecordIndex {
 public:
  RecordIndex(const std::vector<fs::path>& paths, ThreadPool& pool) {
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

  int64_t size() const { return static_cast<int64_t>(entries_.size()); }
  const RecordPlace& place(int64_t index) const { return entry(index).place; }
  const TfRecordFile& file(int64_t index) const { return files_[entry(index).file]; }
  std::string origin(int64_t index) const { return file(index).origin(place(index)); }

  // The class names found in the records.
  std::vector<std::string> classes(ThreadPool& pool) const {
    const auto unless_damaged = [](auto&& look) -> std::optional<RecordClass> {
      try {
        return look();
      } catch (const Error&) {
        return std::nullopt;  // reading the record reports the reason
      }
    };
    return classes_in_records(
        size(), pool,
        [&](int64_t i) {
          return unless_damaged([&] {
            const auto fetch = [&](uint64_t offset, size_t bytes) {
              return file(i).peek(place(i), offset, bytes);
            };
            const std::string origin_i = origin(i);
            return class_of_record(small_features(place(i).bytes, origin_i, fetch), origin_i);
          });
        },
        [&](int64_t i) {
          return unless_damaged([&] {
            std::string record;
            file(i).read(place(i), record);
            return class_of_record(record, origin(i));
          });
        });
  }

 private:
  const IndexEntry& entry(int64_t index) const { return entries_[static_cast<size_t>(index)]; }

  std::vector<TfRecordFile> files_;
  std::vector<IndexEntry> entries_;
};

// The boxes of a record, clipped to the picture, without empty ones.
void read_boxes(const Example& example, const std::string& origin, std::vector<Box>& boxes) {
  constexpr const char* sides[] = {"ymin", "xmin", "ymax", "xmax"};
  std::vector<float> values[4];
  for (size_t i = 0; i < 4; ++i) {
    values[i] = example.float_list(std::string("image/object/bbox/") + sides[i]);
    for (float& value : values[i]) {
      if (!std::isfinite(value)) raise(Fault::data, "{}: a box has the side {}", origin, value);
      value = std::clamp(value, 0.f, 1.f);
    }
    if (values[i].size() != values[0].size()) {
      raise(Fault::data, "{}: boxes have {} values ymin, but {} values {}", origin,
            values[0].size(), values[i].size(), sides[i]);
    }
  }
  boxes.clear();
  for (size_t i = 0; i < values[0].size(); ++i) {
    const Box box{values[0][i], values[1][i], values[2][i], values[3][i]};
    if (box.ymin < box.ymax && box.xmin < box.xmax) boxes.push_back(box);
  }
}

class RecordSource final : public PictureSource {
 public:
  RecordSource(RecordIndex index, std::vector<std::string> classes)
      : index_(std::move(index)), classes_(std::move(classes)) {}

  int64_t size() const override { return index_.size(); }
  std::vector<std::string> class_names() const override { return classes_; }
  std::string origin(int64_t index) const override { return index_.origin(index); }
  KeptSample kept(int64_t index) const override {
    const RecordPlace& place = index_.place(index);
    const std::string file = index_.file(index).path().filename().string();
    return {fmt::format("{} at byte {}", file, place.offset), place.bytes};
  }
  int64_t run_length() const override { return 32; }

  void expect_read(int64_t index) const override {
    index_.file(index).expect_read(index_.place(index));
  }

  void read(int64_t index, EncodedPicture& picture) const override {
    thread_local std::string record;  // keeps its memory between pictures
    index_.file(index).read(index_.place(index), record);
    const std::string where = origin(index);
    const Example example(record, where);
    picture.bytes = example.bytes("image/encoded");
    const int64_t label = example.integer("image/class/label");
    if (label < 1 || label > static_cast<int64_t>(classes_.size())) {
      raise(Fault::data,
            "{}: the label is {}, but there are {} classes, counted from 1; try: a synsets.txt "
            "beside the records that names them all",
            where, label, classes_.size());
    }
    picture.label = static_cast<int32_t>(label - 1);
    read_boxes(example, where, picture.boxes);
  }

 private:
  RecordIndex index_;
  std::vector<std::string> classes_;
};

// One split may lack a class of the other: both must have the same classes.
std::vector<std::string> classes_of(const fs::path& dir, bool train, const RecordIndex& index,
                                    ThreadPool& pool) {
  if (auto listed = find_class_list(dir)) return *std::move(listed);
  std::vector<std::string> names = index.classes(pool);
  if (names.size() == imagenet_classes || !has_records(dir, !train)) return names;
  const std::vector<std::string> others =
      RecordIndex(record_shards(dir, !train), pool).classes(pool);
  for (size_t i = 0; i < others.size(); ++i) {
    if (i == names.size()) {
      names.push_back(others[i]);
    } else if (names[i] == std::to_string(i + 1)) {
      names[i] = others[i];
    }
  }
  return names;
}

}  // namespace

bool has_records(const fs::path& dir, bool train) {
  try {
    return !record_shards(dir, train).empty();
  } catch (const Error&) {
    return true;  // files exist, but something is wrong: opening reports it
  }
}

std::unique_ptr<PictureSource> open_records(const fs::path& dir, bool train, int threads) {
  const std::vector<fs::path> paths = record_shards(dir, train);
  if (paths.empty()) {
    raise(Fault::data,
          "{} has no record files of the {} set; try: convoy prepare imagenet, or names like "
          "{}-00000-of-00128",
          dir.string(), train ? "training" : "validation", train ? "train" : "validation");
  }
  ThreadPool pool(threads ? threads : available_cores());
  RecordIndex index(paths, pool);
  if (index.size() == 0) raise(Fault::data, "{} holds no record", paths[0].parent_path().string());
  std::vector<std::string> classes = classes_of(dir, train, index, pool);
  return std::make_unique<RecordSource>(std::move(index), std::move(classes));
}

}  // namespace convoy
