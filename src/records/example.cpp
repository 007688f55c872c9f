#include "records/example.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <ranges>

#include "base/files/byte_reader.h"
#include "base/proto_fields.h"
#include "base/proto_writer.h"

namespace convoy {
namespace {

constexpr int bytes_kind = 1, float_kind = 2, int_kind = 3;
constexpr std::string_view kind_names[] = {"nothing", "bytes", "floats", "whole numbers"};
constexpr std::string_view what = "the tf.Example";

template <class Take>
void fields_of(std::string_view message, const std::string& origin, Take&& take) {
  for_each_field(message, origin, what, take, Fault::data);
}

// A list: texts one by one, numbers packed; numbers that are none leave no field.
void write_list(const FeatureValue& value, ProtoWriter& list) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& text : *texts) list.bytes(1, text);
  } else if (const auto* floats = std::get_if<std::vector<float>>(&value)) {
    list.small_numbers(1, *floats);
  } else {
    list.integers(1, std::get<std::vector<int64_t>>(value));
  }
}

}  // namespace

Example::Example(std::string_view record, std::string origin) : origin_(std::move(origin)) {
  fields_of(record, origin_, [&](const ProtoField& features) {
    if (features.number != 1 || !features.is_bytes) return;
    fields_of(features.bytes, origin_, [&](const ProtoField& entry) {
      if (entry.number != 1 || !entry.is_bytes) return;
      std::pair<std::string_view, std::string_view> feature;
      fields_of(entry.bytes, origin_, [&](const ProtoField& f) {
        if (!f.is_bytes) return;
        if (f.number == 1) feature.first = f.bytes;
        if (f.number == 2) feature.second = f.bytes;
      });
      features_.push_back(feature);
    });
  });
}

void Example::fail(std::string_view name, std::string_view why) const {
  raise(Fault::data, "{}: the feature {} {}; try: convoy prepare, which writes all that is needed",
        origin_, name, why);
}

// If two features have the same name the later one is used, as in protocol buffers.
const std::string_view* Example::find(std::string_view name) const {
  for (const auto& [key, feature] : features_ | std::views::reverse) {
    if (key == name) return &feature;
  }
  return nullptr;
}

std::vector<std::string_view> Example::names() const {
  std::vector<std::string_view> all;
  for (const auto& [name, feature] : features_) all.push_back(name);
  return all;
}

// The list messages of a feature; a parser concatenates them.
std::vector<std::string_view> Example::lists(std::string_view name, int kind) const {
  std::vector<std::string_view> parts;
  const std::string_view* feature = find(name);
  if (!feature) return parts;
  int found = 0;
  fields_of(*feature, origin_, [&](const ProtoField& f) {
    if (f.number > int_kind || !f.is_bytes) return;
    if (f.number != found) parts.clear();
    found = f.number;
    if (!f.bytes.empty()) parts.push_back(f.bytes);
  });
  if (found != kind && !parts.empty()) {
    fail(name, fmt::format("holds {} instead of {}", kind_names[found], kind_names[kind]));
  }
  return parts;
}

std::vector<std::string_view> Example::bytes_list(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const std::string_view list : lists(name, bytes_kind)) {
    fields_of(list, origin_, [&](const ProtoField& f) {
      if (f.number != 1) return;
      if (!f.is_bytes) fail(name, "is no list of bytes");
      values.push_back(f.bytes);
    });
  }
  return values;
}

std::vector<int64_t> Example::int_list(std::string_view name) const {
  std::vector<int64_t> values;
  for (const std::string_view list : lists(name, int_kind)) {
    fields_of(list, origin_, [&](const ProtoField& f) {
      if (f.number != 1) return;
      if (f.type == ProtoType::varint) return values.push_back(static_cast<int64_t>(f.value));
      if (!f.is_bytes) fail(name, "is no list of whole numbers");
      ByteReader packed(f.bytes, origin_, what, Fault::data);
      while (!packed.done()) values.push_back(static_cast<int64_t>(packed.varint()));
    });
  }
  return values;
}

std::vector<float> Example::float_list(std::string_view name) const {
  std::vector<float> values;
  for (const std::string_view list : lists(name, float_kind)) {
    fields_of(list, origin_, [&](const ProtoField& f) {
      if (f.number != 1) return;
      if (f.type == ProtoType::fixed32) {
        return values.push_back(std::bit_cast<float>(static_cast<uint32_t>(f.value)));
      }
      if (!f.is_bytes || f.bytes.size() % sizeof(float) != 0) fail(name, "is no list of floats");
      const size_t have = values.size();
      values.resize(have + f.bytes.size() / sizeof(float));
      if (!f.bytes.empty()) std::memcpy(&values[have], f.bytes.data(), f.bytes.size());
    });
  }
  return values;
}

std::string_view Example::bytes(std::string_view name) const {
  const std::vector<std::string_view> values = bytes_list(name);
  if (values.size() != 1) fail(name, fmt::format("has {} values instead of one", values.size()));
  return values[0];
}

int64_t Example::integer(std::string_view name) const {
  const std::vector<int64_t> values = int_list(name);
  if (values.size() != 1) fail(name, fmt::format("has {} values instead of one", values.size()));
  return values[0];
}

std::string_view Example::bytes_or(std::string_view name, std::string_view otherwise) const {
  const std::vector<std::string_view> values = bytes_list(name);
  return values.empty() ? otherwise : values[0];
}

std::string encode_example(const std::map<std::string, FeatureValue>& features) {
  std::string example;
  ProtoWriter(example).message(1, [&](ProtoWriter& all) {
    for (const auto& [name, value] : features) {
      all.message(1, [&](ProtoWriter& entry) {
        entry.bytes(1, name);
        entry.message(2, [&](ProtoWriter& feature) {
          feature.message(static_cast<int>(value.index()) + 1,
                          [&](ProtoWriter& list) { write_list(value, list); });
        });
      });
    }
  });
  return example;
}

}  // namespace convoy
