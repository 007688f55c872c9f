// The record files of one split as one list of records. Several threads read it at once, in any
// order.
#pragma once

#include <string>
#include <vector>

#include "base/threads/thread_pool.h"
#include "data/kept_sample.h"
#include "records/tfrecord.h"

namespace convoy {

class RecordIndex {
 public:
  // Reads the lengths of all records, many files at a time; a damaged length is Fault::data.
  RecordIndex(const std::vector<fs::path>& paths, ThreadPool& pool);

  int64_t size() const { return static_cast<int64_t>(entries_.size()); }

  // The payload, its checksum verified. Reuses the memory of `record`.
  void read(int64_t index, std::string& record) const;
  // Its small features (records/small_features.h); no checksum is verified.
  std::string glance(int64_t index) const;

  // "FILE at byte N", for messages.
  std::string origin(int64_t index) const;
  KeptSample kept(int64_t index) const;
  // Hint: this record will be read soon.
  void announce_read(int64_t index) const;
  // How many neighbours to read together.
  static constexpr int64_t run_length = 32;

 private:
  struct Entry {
    RecordPlace place;
    uint32_t file = 0;
  };
  const RecordPlace& place(int64_t index) const { return entry(index).place; }
  const TfRecordFile& file(int64_t index) const { return files_[entry(index).file]; }
  const Entry& entry(int64_t index) const { return entries_[static_cast<size_t>(index)]; }

  std::vector<TfRecordFile> files_;
  std::vector<Entry> entries_;
};

}  // namespace convoy
