#include "base/proto_writer.h"

#include <array>

namespace convoy {
namespace {

static_assert(std::endian::native == std::endian::little);

struct Varint {
  std::array<char, 10> bytes;
  size_t size = 0;

  explicit Varint(uint64_t value) {
    for (; value >= 128; value >>= 7) bytes[size++] = static_cast<char>(value | 128);
    bytes[size++] = static_cast<char>(value);
  }
};

}  // namespace

void ProtoWriter::varint(uint64_t value) {
  const Varint text(value);
  out_.append(text.bytes.data(), text.size);
}

void ProtoWriter::tag(int field, ProtoType type) {
  varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type));
}

void ProtoWriter::fixed(const void* bytes, size_t count) {
  out_.append(static_cast<const char*>(bytes), count);
}

void ProtoWriter::put_length_before(size_t start) {
  const Varint length(out_.size() - start);
  out_.insert(start, length.bytes.data(), length.size);
}

void ProtoWriter::integer(int field, int64_t value) {
  tag(field, ProtoType::varint);
  varint(static_cast<uint64_t>(value));
}

void ProtoWriter::number(int field, double value) {
  tag(field, ProtoType::fixed64);
  fixed(&value, sizeof value);
}

void ProtoWriter::small_number(int field, float value) {
  tag(field, ProtoType::fixed32);
  fixed(&value, sizeof value);
}

void ProtoWriter::bytes(int field, std::string_view value) {
  tag(field, ProtoType::bytes);
  varint(value.size());
  out_ += value;
}

void ProtoWriter::numbers(int field, std::span<const double> values) {
  if (values.empty()) return;
  bytes(field, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

void ProtoWriter::small_numbers(int field, std::span<const float> values) {
  if (values.empty()) return;
  bytes(field, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

void ProtoWriter::integers(int field, std::span<const int64_t> values) {
  if (values.empty()) return;
  message(field, [&](ProtoWriter& list) {
    for (const int64_t value : values) list.varint(static_cast<uint64_t>(value));
  });
}

}  // namespace convoy
