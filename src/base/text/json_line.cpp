#include "base/text/json_line.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text/json.h"

namespace convoy {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double number_in(std::string_view text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  return not_a_number;
}

class Scanner {
 public:
  Scanner(std::string_view line, const TakeJsonMember& take)
      : at_(line.data()), end_(line.data() + line.size()), take_(take) {}

  bool run() {
    if (!skip('{')) return false;
    if (skip('}')) return at_end();
    do {
      std::string_view key;
      if (!text(key, key_) || !skip(':') || !value(key)) return false;
    } while (skip(','));
    return skip('}') && at_end();
  }

 private:
  void blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool at_end() {
    blanks();
    return at_ == end_;
  }
  bool skip(char expected) {
    blanks();
    if (at_ == end_ || *at_ != expected) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view expected) {
    if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  // Passes over a text; `at_` is at its first quote. `plain`: it has no escapes.
  bool pass_text(bool& plain) {
    plain = true;
    for (++at_; at_ != end_; ++at_) {
      if (*at_ == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(*at_) < 0x20) return false;
      if (*at_ != '\\') continue;
      plain = false;
      if (++at_ == end_) return false;
    }
    return false;
  }

  bool text(std::string_view& into, std::string& decoded) {
    blanks();
    if (at_ == end_ || *at_ != '"') return false;
    const char* begin = at_;
    bool plain = true;
    if (!pass_text(plain)) return false;
    const std::string_view quoted(begin, static_cast<size_t>(at_ - begin));
    if (plain) {
      into = quoted.substr(1, quoted.size() - 2);
      return true;
    }
    try {
      decoded = parse_json(quoted).get<std::string>();
    } catch (const JsonError&) {
      return false;
    }
    into = decoded;
    return true;
  }

  // Passes over an object or list; only its brackets and texts are looked at.
  bool nested(std::string_view& into) {
    const char* begin = at_;
    size_t depth = 0;
    while (at_ != end_) {
      if (*at_ == '"') {
        bool plain = true;
        if (!pass_text(plain)) return false;
        continue;
      }
      if (*at_ == '{' || *at_ == '[') ++depth;
      if (*at_ == '}' || *at_ == ']') --depth;
      ++at_;
      if (depth == 0) {
        into = {begin, static_cast<size_t>(at_ - begin)};
        return true;
      }
    }
    return false;
  }

  bool number(double& into) {
    const char* digits = *at_ == '-' ? at_ + 1 : at_;  // std::from_chars accepts "inf" and "nan"
    if (digits == end_ || *digits < '0' || *digits > '9') return false;
    const auto [stop, problem] = std::from_chars(at_, end_, into);
    if (problem == std::errc::result_out_of_range) {  // 1e999: not told apart from 1e-999
      into = not_a_number;
    } else if (problem != std::errc()) {
      return false;
    }
    at_ = stop;
    return true;
  }

  bool value(std::string_view key) {
    using Kind = JsonLineValue::Kind;
    blanks();
    if (at_ == end_) return false;
    JsonLineValue found;
    found.number = not_a_number;
    if (*at_ == '"') {
      found.kind = Kind::text;
      if (!text(found.text, value_)) return false;
      found.number = number_in(found.text);
    } else if (*at_ == '{' || *at_ == '[') {
      found.kind = Kind::nested;
      if (!nested(found.text)) return false;
    } else if (word("true") || word("false")) {
      found.kind = Kind::truth;
      found.number = at_[-2] == 'u' ? 1 : 0;  // of "true"
    } else if (word("null")) {
      found.kind = Kind::null;
    } else {
      found.kind = Kind::number;
      if (!number(found.number)) return false;
    }
    take_(key, found);
    return true;
  }

  const char *at_, *end_;
  const TakeJsonMember& take_;
  std::string key_, value_;  // with their escapes decoded
};

}  // namespace

bool JsonLineValue::counts() const {
  if (kind == Kind::number || kind == Kind::truth) return true;
  return kind == Kind::text && (text == "nan" || text == "inf" || text == "-inf");
}

bool scan_json_line(std::string_view line, const TakeJsonMember& take) {
  return Scanner(line, take).run();
}

}  // namespace convoy
