// Scans a JSON object on one line without building a tree: logs have hundreds of thousands of such
// lines. For trees see base/text/json.h.
#pragma once

#include <functional>
#include <string_view>

namespace convoy {

struct JsonLineValue {
  enum class Kind { number, text, truth, null, nested };
  Kind kind = Kind::null;
  // Of a number; 1 or 0 for true and false; NaN or infinities for the texts "nan", "inf" and
  // "-inf", which stand for them; else NaN.
  double number = 0;
  // Of a text, without escapes, valid during the call; of a nested value its JSON, unchecked.
  std::string_view text;

  bool is_number() const { return kind == Kind::number; }
  // A number, true or false, or a text that stands for a number.
  bool counts() const;
};

using TakeJsonMember = std::function<void(std::string_view key, const JsonLineValue& value)>;

// Calls `take` for each member in order. False: the line is not one JSON object; members before the
// mistake may have been taken. A key that occurs twice is taken twice.
bool scan_json_line(std::string_view line, const TakeJsonMember& take);

}  // namespace convoy
