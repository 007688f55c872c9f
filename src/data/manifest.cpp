#include "data/manifest.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"

namespace convoy {
namespace {

constexpr int64_t piece_samples = 4096;
constexpr int64_t read_samples = 64;  // contents read, for a set on disk

// Names and numbers contain neither of these two.
constexpr char between_fields = '\0', between_samples = '\1';

struct Fact {
  std::string name, bytes, content;
};

std::string content_of(const Dataset& data, int64_t index) {
  try {
    return hash_hex(data.content_hash(index));
  } catch (const Error&) {
    return "unreadable";  // a run that reads it reports the reason
  }
}

std::vector<Fact> facts_of(const std::string& text) {
  std::vector<Fact> facts;
  for (const std::string& line : split(text, between_samples)) {
    const std::vector<std::string> fields = split(line, between_fields);
    if (fields.size() == 3) facts.push_back({fields[0], fields[1], fields[2]});
  }
  return facts;
}

}  // namespace

Manifest::Manifest(const Dataset& data)
    : data_(data),
      stride_(data.resident_bytes() > 0 ? 1 : std::max<int64_t>(1, data.size() / read_samples)) {}

size_t Manifest::pieces() const {
  return static_cast<size_t>((data_.size() + piece_samples - 1) / piece_samples);
}

std::string Manifest::text(size_t piece) const {
  const int64_t begin = static_cast<int64_t>(piece) * piece_samples;
  const int64_t end = std::min(begin + piece_samples, data_.size());
  std::string text;
  for (int64_t i = begin; i < end; ++i) {
    const KeptSample sample = data_.kept(i);
    text += sample.name;
    text += between_fields;
    text += std::to_string(sample.bytes);
    text += between_fields;
    if (i % stride_ == 0) text += content_of(data_, i);
    text += between_samples;
  }
  return text;
}

std::string Manifest::difference(const std::string& first, const std::string& other,
                                 const std::string& whose) {
  const std::vector<Fact> a = facts_of(first), b = facts_of(other);
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].name != b[i].name) {
      return fmt::format("{} is where {} has {}", b[i].name, whose, a[i].name);
    }
    if (a[i].bytes != b[i].bytes) {
      return fmt::format("{} has {} bytes, {}'s has {}", b[i].name, b[i].bytes, whose, a[i].bytes);
    }
    if (a[i].content != b[i].content) {
      return fmt::format("{} has other contents than {}'s", b[i].name, whose);
    }
  }
  if (a.size() > b.size()) return fmt::format("{} is missing", a[b.size()].name);
  if (b.size() > a.size()) return fmt::format("{} is there, {} has none", b[a.size()].name, whose);
  return "";
}

}  // namespace convoy
