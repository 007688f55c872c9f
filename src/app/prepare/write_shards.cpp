#include "app/prepare/write_shards.h"

#include <atomic>
#include <vector>

#include "app/prepare/journal.h"
#include "base/error.h"
#include "base/files/folder.h"
#include "base/files/regular_file.h"
#include "data/sources/data_file.h"
#include "data/sources/record_shards.h"
#include "records/tfrecord.h"

namespace convoy {
namespace {

fs::path path_of(const ShardsSpec& spec, int shard) {
  return spec.folder / (shard_name(spec.prefix, shard, spec.shards) + spec.ending);
}

// Returns how many pictures were encoded anew.
int64_t make_shard(const ShardRecords& records, const fs::path& path, int shard, BadPictures& bad,
                   SharedProgress& progress) {
  int64_t anew = 0;
  TfRecordWriter writer(path);
  for (int64_t i = 0; i < records.size(shard); ++i) {
    ShardRecords::Made made;
    if (bad.survives([&] { made = records.make(shard, i); }, progress)) {
      writer.add(made.payload);
      anew += made.encoded_anew;
    }
    progress.add(1);
  }
  writer.finish();
  return anew;
}

// Returns the number of records in the shard.
int64_t verify_shard(const ShardRecords& records, const fs::path& path, int shard,
                     SharedProgress& progress) {
  const TfRecordFile file(path);
  std::string payload;
  int64_t next = 0;
  const std::vector<RecordPlace> places = file.scan();
  for (const RecordPlace& place : places) {
    file.read(place, payload);
    const std::string origin = file.origin(place);
    const int64_t size = records.size(shard);
    while (next < size && !records.is_record(shard, next, payload, origin)) ++next;
    if (next++ >= size) {
      raise(Fault::data,
            "{}: the record does not belong there; try: remove the file and run the "
            "same again",
            origin);
    }
  }
  progress.add(records.size(shard));
  return static_cast<int64_t>(places.size());
}

}  // namespace

ShardsResult write_shards(const ShardRecords& records, const ShardsSpec& spec, ThreadPool& pool,
                          BadPictures& bad) {
  make_folders(spec.folder, Fault::usage);
  std::atomic<int64_t> anew = 0, found = 0;
  std::atomic<int> made = 0;
  std::atomic<uint64_t> bytes = 0;
  std::vector<int> missing;
  uint64_t needed = 0;
  int64_t count = 0, to_make = 0;
  for (int shard = 0; shard < spec.shards; ++shard) {
    count += records.size(shard);
    if (is_there(path_of(spec, shard))) continue;
    missing.push_back(shard);
    needed += records.bytes(shard);
    to_make += records.size(shard);
  }
  expect_room(spec.folder, needed);
  {
    SharedProgress progress("writing " + spec.prefix, to_make);
    pool.run(static_cast<int>(missing.size()), [&](int i, int) {
      const int shard = missing[static_cast<size_t>(i)];
      anew += make_shard(records, path_of(spec, shard), shard, bad, progress);
      ++made;
    });
  }
  {
    SharedProgress progress("reading " + spec.prefix + " again", count);
    pool.run(spec.shards, [&](int shard, int) {
      const fs::path path = path_of(spec, shard);
      found += verify_shard(records, path, shard, progress);
      bytes += regular_bytes(path, Fault::data);
    });
  }
  return {.records = found,
          .left_out = count - found,
          .encoded_anew = anew,
          .bytes = bytes,
          .made = made};
}

}  // namespace convoy
