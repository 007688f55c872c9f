#include "data/sources/record_source.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/threads/cores.h"
#include "base/threads/thread_pool.h"
#include "data/classes/record_classes.h"
#include "data/sources/record_index.h"
#include "data/sources/record_shards.h"
#include "records/example.h"

namespace convoy {
namespace {

constexpr int64_t imagenet_classes = 1000;

// The class names found in the records.
std::vector<std::string> classes_in(const RecordIndex& index, ThreadPool& pool) {
  const auto unless_damaged = [](auto&& look) -> std::optional<RecordClass> {
    try {
      return look();
    } catch (const Error&) {
      return std::nullopt;  // reading the record reports the reason
    }
  };
  return classes_in_records(
      index.size(), pool,
      [&](int64_t i) {
        return unless_damaged([&] { return class_of_record(index.glance(i), index.origin(i)); });
      },
      [&](int64_t i) {
        return unless_damaged([&] {
          std::string record;
          index.read(i, record);
          return class_of_record(record, index.origin(i));
        });
      });
}

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
  KeptSample kept(int64_t index) const override { return index_.kept(index); }
  int64_t run_length() const override { return RecordIndex::run_length; }
  void announce_read(int64_t index) const override { index_.announce_read(index); }

  void read(int64_t index, EncodedPicture& picture) const override {
    thread_local std::string record;  // keeps its memory between pictures
    index_.read(index, record);
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
  std::vector<std::string> names = classes_in(index, pool);
  if (names.size() == imagenet_classes || !has_records(dir, !train)) return names;
  const std::vector<std::string> others =
      classes_in(RecordIndex(record_shards(dir, !train), pool), pool);
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
