// TFRecord files: records one after the other, each framed by its length and two checksums.
//
//   length    8 bytes, little-endian
//   checksum  4 bytes, masked CRC-32C of the length
//   payload   `length` bytes
//   checksum  4 bytes, masked CRC-32C of the payload
//
// There is no header and no index: to find the n-th record, one reads the lengths of all before it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file_writer.h"
#include "base/files/random_file.h"

namespace convoy {

struct RecordPlace {
  uint64_t offset = 0;  // of the frame
  uint64_t bytes = 0;   // of the payload
  bool operator==(const RecordPlace&) const = default;
};

// May be read by any number of threads. Any damage is Fault::data naming file and byte.
class TfRecordFile {
 public:
  // `keep_open`: the file stays open between calls, which costs a descriptor.
  explicit TfRecordFile(fs::path path, bool keep_open = true);

  const fs::path& path() const { return path_; }

  // The offsets of all records. Checks every length; reads no payload.
  std::vector<RecordPlace> scan() const;

  // The payload, its checksum verified. Reuses the memory of `payload`.
  void read(const RecordPlace& place, std::string& payload) const;

  // A range of the stored payload; its checksum is not verified.
  std::string peek(const RecordPlace& place, uint64_t offset, size_t bytes) const;

  // Hint: this record will be read soon.
  void announce_read(const RecordPlace& place) const;

  // "FILE at byte N", for messages.
  std::string origin(const RecordPlace& place) const;

 private:
  template <class Body>
  void with_file(Body&& body) const;

  fs::path path_;
  std::unique_ptr<RandomFile> open_;
};

// Writes a file that gets its name in `finish`, or never.
class TfRecordWriter {
 public:
  explicit TfRecordWriter(const fs::path& path) : file_(path, Fault::usage) {}

  void add(std::string_view payload);
  void finish() { file_.commit(); }

 private:
  FileWriter file_;
};

// The payload with its lengths and checksums.
std::string framed_record(std::string_view payload);

// The same in one buffer: it holds `record_head_bytes` bytes to be filled, then the payload.
inline constexpr size_t record_head_bytes = 12;
void frame_record(std::string& buffer);

}  // namespace convoy
