#include "app/prepare/write_shards.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <tuple>

#include "app/prepare/journal.h"
#include "app/prepare/picture_records.h"
#include "base/error.h"
#include "base/files/regular_file.h"
#include "data/loading/order.h"
#include "data/sources/data_file.h"
#include "data/sources/record_shards.h"
#include "records/tfrecord.h"

namespace convoy {
namespace {

class ShardsMaker {
 public:
  ShardsMaker(const RawSplits& splits, const std::vector<RawPicture>& pictures,
              const ShardsSpec& spec)
      : splits_(splits), pictures_(pictures), spec_(spec), order_(pictures.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    if (spec.shuffle) {
      const Order order(static_cast<int64_t>(order_.size()), spec.seed, 0, true);
      for (size_t i = 0; i < order_.size(); ++i)
        order_[i] = static_cast<size_t>(order[static_cast<int64_t>(i)]);
    } else {
      // Ignores classes: a flat folder and class folders give the same shards.
      std::ranges::sort(
          order_, {}, [&](size_t i) { return std::tie(pictures[i].name, pictures[i].class_name); });
    }
  }

  fs::path path(int shard) const {
    return spec_.folder / shard_name(spec_.prefix, shard, spec_.shards);
  }

  void make(int shard, BadPictures& bad, SharedProgress& progress, std::atomic<int64_t>& anew) {
    TfRecordWriter writer(path(shard));
    for (size_t i = begin(shard); i < begin(shard + 1); ++i) {
      const RawPicture& picture = pictures_[order_[i]];
      PictureRecord record;
      const auto make = [&] { record = make_record(picture, label(picture)); };
      if (bad.survives(make, progress)) {
        writer.add(record.payload);
        anew += record.encoded_anew;
      }
      progress.add(1);
    }
    writer.finish();
  }

  // The size of its pictures; the shard is slightly larger.
  uint64_t bytes(int shard) const {
    uint64_t sum = 0;
    for (size_t i = begin(shard); i < begin(shard + 1); ++i) sum += pictures_[order_[i]].bytes;
    return sum;
  }

  // Returns the number of records in the shard. They must be its pictures in their order; some may
  // be missing.
  int64_t verify(int shard, SharedProgress& progress) const {
    const TfRecordFile file(path(shard));
    std::string payload;
    size_t next = begin(shard);
    const std::vector<RecordPlace> places = file.scan();
    for (const RecordPlace& place : places) {
      file.read(place, payload);
      const RecordFacts facts = check_record(payload, file.origin(place));
      const auto fits = [&](const RawPicture& p) {
        return p.name == facts.filename && label(p) == facts.label;
      };
      while (next < begin(shard + 1) && !fits(pictures_[order_[next]])) ++next;
      if (next++ >= begin(shard + 1)) {
        raise(Fault::data,
              "{}: {} does not belong there; try: remove the file and run the same again",
              file.origin(place), facts.filename);
      }
    }
    progress.add(static_cast<int64_t>(begin(shard + 1) - begin(shard)));
    return static_cast<int64_t>(places.size());
  }

 private:
  int64_t label(const RawPicture& picture) const { return splits_.label(picture.class_name) + 1; }

  // The index in `order_` of the first picture of a shard.
  size_t begin(int shard) const {
    const auto shards = static_cast<size_t>(spec_.shards);
    const size_t chunk = (order_.size() + shards - 1) / shards;
    return std::min(order_.size(), static_cast<size_t>(shard) * chunk);
  }

  const RawSplits& splits_;
  const std::vector<RawPicture>& pictures_;
  const ShardsSpec& spec_;
  std::vector<size_t> order_;
};

}  // namespace

ShardsResult write_shards(const RawSplits& splits, const std::vector<RawPicture>& pictures,
                          const ShardsSpec& spec, ThreadPool& pool, BadPictures& bad) {
  make_folders(spec.folder, Fault::usage);
  ShardsMaker maker(splits, pictures, spec);
  const auto count = static_cast<int64_t>(pictures.size());
  std::atomic<int64_t> anew = 0, records = 0;
  std::atomic<int> made = 0;
  std::atomic<uint64_t> bytes = 0;
  std::vector<int> missing;
  uint64_t needed = 0;
  for (int shard = 0; shard < spec.shards; ++shard) {
    if (is_there(maker.path(shard))) continue;
    missing.push_back(shard);
    needed += maker.bytes(shard);
  }
  expect_room(spec.folder, needed);
  {
    const int64_t share = count * static_cast<int64_t>(missing.size()) / spec.shards;
    SharedProgress progress("writing " + spec.prefix, share);
    pool.run(static_cast<int>(missing.size()), [&](int i, int) {
      maker.make(missing[static_cast<size_t>(i)], bad, progress, anew);
      ++made;
    });
  }
  {
    SharedProgress progress("reading " + spec.prefix + " again", count);
    pool.run(spec.shards, [&](int shard, int) {
      records += maker.verify(shard, progress);
      bytes += regular_bytes(maker.path(shard), Fault::data);
    });
  }
  return {.records = records,
          .left_out = count - records,
          .encoded_anew = anew,
          .bytes = bytes,
          .made = made};
}

}  // namespace convoy
