// The file of an offline run of Weights & Biases: protobuf records in LevelDB's log form
// (docs/formats/wandb.md). Only grows; every record reaches the kernel at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/files/append_file.h"

namespace convoy {

class TransactionLog {
 public:
  // A new file; it gets its header.
  explicit TransactionLog(const fs::path& path);

  // One record.
  void add(std::string_view record);
  // Of records so far.
  int64_t count() const { return count_; }

 private:
  AppendFile file_;
  uint64_t size_ = 0;
  int64_t count_ = 0;
  std::string chunks_;  // reused
};

}  // namespace convoy
