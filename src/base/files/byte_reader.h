// Reads little-endian numbers and runs of bytes from a buffer, never past its end. When bytes are
// missing it raises the reader's fault with the origin and the name of what is read. The caller
// owns the buffer and the origin.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.h"

namespace convoy {

class ByteReader {
 public:
  // Keeps references to all three; `what` is the name for messages: "the index".
  ByteReader(std::string_view bytes, const std::string& origin, std::string_view what,
             Fault fault = Fault::checkpoint)
      : bytes_(bytes), origin_(origin), what_(what), fault_(fault) {}

  size_t position() const { return position_; }
  size_t left() const { return bytes_.size() - position_; }
  bool done() const { return left() == 0; }

  std::string_view take(uint64_t count) {
    if (count > left()) fail("it ends too early");
    const std::string_view part = bytes_.substr(position_, static_cast<size_t>(count));
    position_ += static_cast<size_t>(count);
    return part;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  uint8_t byte() { return number<uint8_t>(); }

  // Seven bits per byte, the lowest first, as protocol buffers and LevelDB write them.
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint64_t part = byte();
      if (shift == 63 && part > 1) break;
      value |= (part & 127) << shift;
      if (part < 128) return value;
    }
    fail("a number is too long");
  }

  std::string_view line() {
    const size_t end = bytes_.find('\n', position_);
    if (end == bytes_.npos) fail("a line has no end");
    const std::string_view text = bytes_.substr(position_, end - position_);
    position_ = end + 1;
    return text;
  }

  [[noreturn]] void fail(std::string_view why) const {
    raise(fault_, "{}: {} is damaged at byte {}: {}; try: fetch or save it again", origin_, what_,
          position_, why);
  }

 private:
  std::string_view bytes_;
  const std::string& origin_;
  std::string_view what_;
  Fault fault_;
  size_t position_ = 0;
};

}  // namespace convoy
