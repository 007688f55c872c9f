#include "records/tfrecord.h"

#include <array>
#include <cstring>

#include "base/crc32c.h"

namespace convoy {
namespace {

constexpr uint64_t length_bytes = 8, checksum_bytes = 4;
constexpr uint64_t head_bytes = length_bytes + checksum_bytes;
static_assert(head_bytes == record_head_bytes);
constexpr uint64_t frame_bytes = head_bytes + checksum_bytes;

constexpr const char* advice = "try: fetch the file again, or convoy prepare";

template <class T>
T number_at(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

uint32_t checksum(std::string_view bytes) { return masked_crc32c(crc32c(bytes)); }

// The name of the compression whose magic number is in place of the length.
const char* compression_of(const char* head) {
  const auto first = static_cast<uint8_t>(head[0]), second = static_cast<uint8_t>(head[1]);
  if (first == 0x1f && second == 0x8b) return "gzip";
  if (first == 0x78 && (second == 0x01 || second == 0x9c || second == 0xda)) return "zlib";
  return nullptr;
}

[[noreturn]] void refuse_length(const fs::path& path, uint64_t offset, const char* head) {
  const char* compression = offset == 0 ? compression_of(head) : nullptr;
  if (compression) {
    raise(Fault::data, "{}: compressed TFRecords ({}) are not read; try: expand the file first{}",
          path.string(), compression, compression[0] == 'g' ? ", with gunzip" : "");
  }
  raise(Fault::data, "{}: at byte {} no record begins: the checksum of its length is wrong; {}",
        path.string(), offset, advice);
}

}  // namespace

TfRecordFile::TfRecordFile(fs::path path, bool keep_open) : path_(std::move(path)) {
  if (keep_open) open_ = std::make_unique<RandomFile>(path_, Fault::data);
}

template <class Body>
void TfRecordFile::with_file(Body&& body) const {
  if (open_) return body(*open_);
  body(RandomFile(path_, Fault::data));
}

std::vector<RecordPlace> TfRecordFile::scan() const {
  std::vector<RecordPlace> places;
  with_file([&](const RandomFile& file) {
    file.expect_jumps();  // else the system reads all payloads ahead
    std::array<char, head_bytes> head{};
    for (uint64_t offset = 0; offset < file.size();) {
      const uint64_t left = file.size() - offset;
      if (left < head_bytes) {
        raise(Fault::data, "{}: the record at byte {} is cut off by the end of the file; {}",
              path_.string(), offset, advice);
      }
      file.read(offset, head.data(), head.size());
      const auto bytes = number_at<uint64_t>(head.data());
      if (number_at<uint32_t>(&head[length_bytes]) != checksum({head.data(), length_bytes}))
        refuse_length(path_, offset, head.data());
      if (left < frame_bytes || bytes > left - frame_bytes) {
        raise(Fault::data,
              "{}: the record at byte {} says it has {} bytes, but the file ends {} bytes later; "
              "{}",
              path_.string(), offset, bytes, left, advice);
      }
      places.push_back({offset, bytes});
      offset += frame_bytes + bytes;
    }
  });
  return places;
}

void TfRecordFile::read(const RecordPlace& place, std::string& payload) const {
  with_file([&](const RandomFile& file) {
    payload.resize(place.bytes + checksum_bytes);
    file.read(place.offset + head_bytes, payload.data(), payload.size());
  });
  const auto stored = number_at<uint32_t>(&payload[place.bytes]);
  payload.resize(place.bytes);
  if (stored != checksum(payload)) {
    raise(Fault::data, "{}: the record is damaged: its checksum is wrong; {}", origin(place),
          advice);
  }
}

std::string TfRecordFile::peek(const RecordPlace& place, uint64_t offset, size_t bytes) const {
  expect(offset + bytes <= place.bytes, "a look behind the record's end");
  std::string part;
  with_file(
      [&](const RandomFile& file) { part = file.read(place.offset + head_bytes + offset, bytes); });
  return part;
}

void TfRecordFile::announce_read(const RecordPlace& place) const {
  if (open_) open_->announce_read(place.offset, place.bytes + frame_bytes);
}

std::string TfRecordFile::origin(const RecordPlace& place) const {
  return fmt::format("{} at byte {}", path_.string(), place.offset);
}

std::string framed_record(std::string_view payload) {
  std::string framed;
  framed.reserve(payload.size() + frame_bytes);
  framed.append(head_bytes, '\0');
  framed += payload;
  frame_record(framed);
  return framed;
}

void frame_record(std::string& buffer) {
  expect(buffer.size() >= head_bytes, "room for the head of a record");
  const std::string_view payload = std::string_view(buffer).substr(head_bytes);
  const uint64_t length = payload.size();
  const uint32_t of_payload = checksum(payload);
  std::memcpy(buffer.data(), &length, sizeof length);
  const uint32_t of_length = checksum({buffer.data(), sizeof length});
  std::memcpy(buffer.data() + sizeof length, &of_length, sizeof of_length);
  buffer.append(reinterpret_cast<const char*>(&of_payload), sizeof of_payload);
}

void TfRecordWriter::add(std::string_view payload) { file_.write(framed_record(payload)); }

}  // namespace convoy
