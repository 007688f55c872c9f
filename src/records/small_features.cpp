#include "records/small_features.h"

#include <algorithm>

#include "base/files/byte_reader.h"

namespace convoy {
namespace {

constexpr uint64_t window_bytes = 4096;
constexpr uint64_t tag_bytes = 20;  // two varints of maximal length

class Walker {
 public:
  Walker(uint64_t bytes, const std::string& origin,
         const std::function<std::string(uint64_t, size_t)>& fetch)
      : bytes_(bytes), origin_(origin), fetch_(fetch) {}

  // Calls take(number, tag, from, to) for each length-delimited field in [begin, end) of the
  // record: tag and length are in [tag, from), the content in [from, to).
  template <class Take>
  void fields(uint64_t begin, uint64_t end, Take&& take) {
    while (begin < end) {
      ByteReader reader(part(begin, std::min(tag_bytes, end - begin)), origin_, "the tf.Example",
                        Fault::data);
      const uint64_t tag = reader.varint();
      uint64_t length = 0;
      switch (tag & 7) {
        case 0:
          reader.varint();
          break;
        case 1:
          length = 8;
          break;
        case 2:
          length = reader.varint();
          break;
        case 5:
          length = 4;
          break;
        default:
          reader.fail("a field has an impossible type");
      }
      const uint64_t from = begin + reader.position();
      if (length > end - from) reader.fail("it ends too early");
      if ((tag & 7) == 2) take(tag >> 3, begin, from, from + length);
      begin = from + length;
    }
  }

  // Returns at most `window_bytes` of the record. Valid until the next call.
  std::string_view part(uint64_t offset, uint64_t count) {
    if (offset < start_ || offset + count > start_ + window_.size()) {
      start_ = offset;
      window_ = fetch_(offset, static_cast<size_t>(std::min(window_bytes, bytes_ - offset)));
    }
    return std::string_view(window_).substr(static_cast<size_t>(offset - start_),
                                            static_cast<size_t>(count));
  }

 private:
  uint64_t bytes_;
  const std::string& origin_;
  const std::function<std::string(uint64_t, size_t)>& fetch_;
  uint64_t start_ = 0;
  std::string window_;
};

}  // namespace

std::string small_features(uint64_t bytes, const std::string& origin,
                           const std::function<std::string(uint64_t, size_t)>& fetch) {
  Walker walker(bytes, origin, fetch);
  std::string entries;
  walker.fields(0, bytes, [&](uint64_t number, uint64_t, uint64_t begin, uint64_t end) {
    if (number != 1) return;
    walker.fields(begin, end, [&](uint64_t field, uint64_t tag, uint64_t, uint64_t entry_end) {
      if (field == 1 && entry_end - tag <= window_bytes)
        entries += walker.part(tag, entry_end - tag);
    });
  });
  std::string example = "\x0a";  // field 1, length-delimited
  for (uint64_t rest = entries.size(); true; rest >>= 7) {
    if (rest < 128) {
      example += static_cast<char>(rest);
      break;
    }
    example += static_cast<char>(rest | 128);
  }
  return example + entries;
}

}  // namespace convoy
