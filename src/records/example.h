// Reads and writes tf.Example: named features, each a list of byte strings, integers or floats, in
// a protocol buffer message. It keeps views of the record and decodes only the requested features.
//
//   Example   { 1: Features }
//   Features  { 1: repeated { 1: name, 2: Feature } }
//   Feature   one of { 1: list of bytes, 2: of floats, 3: of int64 }, each { 1: repeated value }
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace convoy {

class Example {
 public:
  // Keeps views of `record`. A malformed message is Fault::data naming the origin, here and later.
  Example(std::string_view record, std::string origin);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::vector<std::string_view> names() const;

  // All values of a feature; empty if it is missing or empty. A list of another kind is
  // Fault::data.
  std::vector<std::string_view> bytes_list(std::string_view name) const;
  std::vector<int64_t> int_list(std::string_view name) const;
  std::vector<float> float_list(std::string_view name) const;

  // The only value: no value, or several, are Fault::data.
  std::string_view bytes(std::string_view name) const;
  int64_t integer(std::string_view name) const;

  // The first value, or `otherwise`.
  std::string_view bytes_or(std::string_view name, std::string_view otherwise) const;

 private:
  const std::string_view* find(std::string_view name) const;
  std::vector<std::string_view> lists(std::string_view name, int kind) const;
  [[noreturn]] void fail(std::string_view name, std::string_view why) const;

  std::string origin_;
  std::vector<std::pair<std::string_view, std::string_view>> features_;  // name, message
};

using FeatureValue =
    std::variant<std::vector<std::string>, std::vector<float>, std::vector<int64_t>>;

// Encodes the features, sorted by name, lists packed: equal values give equal bytes.
std::string encode_example(const std::map<std::string, FeatureValue>& features);

}  // namespace convoy
