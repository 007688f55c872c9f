// Writes protocol buffer messages into a string, field by field. The counterpart of proto_fields.h.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/proto_fields.h"

namespace convoy {

// Appends to a string of the caller. Allocates only to let it grow.
class ProtoWriter {
 public:
  explicit ProtoWriter(std::string& out) : out_(out) {}

  // Signed numbers are written as protobuf's int64: two's complement.
  void integer(int field, int64_t value);
  void flag(int field, bool value) { integer(field, value ? 1 : 0); }
  void number(int field, double value);
  void small_number(int field, float value);
  // A string, bytes, or a message that is written already.
  void bytes(int field, std::string_view value);
  // Packed lists; an empty one is left out.
  void numbers(int field, std::span<const double> values);
  void small_numbers(int field, std::span<const float> values);
  void integers(int field, std::span<const int64_t> values);
  // A message with the fields that `body(writer)` writes, perhaps none.
  template <class Body>
  void message(int field, const Body& body) {
    tag(field, ProtoType::bytes);
    const size_t start = out_.size();
    body(*this);
    put_length_before(start);
  }

 private:
  void tag(int field, ProtoType type);
  void varint(uint64_t value);
  void fixed(const void* bytes, size_t count);
  // Inserts the length of all bytes from `start` on before them.
  void put_length_before(size_t start);

  std::string& out_;
};

}  // namespace convoy
