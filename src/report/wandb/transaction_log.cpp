#include "report/wandb/transaction_log.h"

#include <zlib.h>

#include <algorithm>

namespace convoy {
namespace {

constexpr std::string_view header("\x3aW&B\xe1\xbe\x00", 7);
constexpr uint64_t block_bytes = 32768, head_bytes = 7;
enum ChunkType { full = 1, first = 2, middle = 3, last = 4 };

void put(std::string& out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

void put_chunk(std::string& out, ChunkType type, std::string_view data) {
  const auto letter = static_cast<unsigned char>(type);
  uLong sum = crc32(0, &letter, 1);
  sum = crc32(sum, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size()));
  put(out, static_cast<uint32_t>(sum), 4);
  put(out, static_cast<uint32_t>(data.size()), 2);
  put(out, letter, 1);
  out += data;
}

}  // namespace

TransactionLog::TransactionLog(const fs::path& path) : file_(path, Fault::checkpoint) {
  file_.append(header);
  size_ = header.size();
}

void TransactionLog::add(std::string_view record) {
  chunks_.clear();
  bool is_first = true;
  do {
    const uint64_t left = block_bytes - (size_ + chunks_.size()) % block_bytes;
    if (left < head_bytes) {
      chunks_.append(left, '\0');
      continue;
    }
    const auto part = std::min<uint64_t>(record.size(), left - head_bytes);
    const bool is_last = part == record.size();
    put_chunk(chunks_, is_first ? (is_last ? full : first) : (is_last ? last : middle),
              record.substr(0, part));
    record.remove_prefix(part);
    is_first = false;
    if (is_last) break;
  } while (true);
  file_.append(chunks_);
  size_ += chunks_.size();
  ++count_;
}

}  // namespace convoy
