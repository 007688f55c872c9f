#include "base/text/json_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace convoy {
namespace {

// "key=number" or "key='text'", one after another; "-" for a line that is refused.
std::string scanned(std::string_view line) {
  std::string found;
  const bool is_whole = scan_json_line(line, [&](std::string_view key, const JsonLineValue& value) {
    found += std::string(key) + "=";
    switch (value.kind) {
      case JsonLineValue::Kind::number:
      case JsonLineValue::Kind::truth:
        found += std::to_string(value.number);
        break;
      case JsonLineValue::Kind::text:
        found += "'" + std::string(value.text) + "'";
        break;
      case JsonLineValue::Kind::null:
        found += "null";
        break;
      case JsonLineValue::Kind::nested:
        found += std::string(value.text);
    }
    found += " ";
  });
  return is_whole ? found : "-";
}

TEST(JsonLine, TellsTheMembersInOrder) {
  EXPECT_EQ(scanned(R"({"event":"train","step":50,"loss":-1.5e1,"ema":false,"on":true,"x":null})"),
            "event='train' step=50.000000 loss=-15.000000 ema=0.000000 on=1.000000 x=null ");
  EXPECT_EQ(scanned(R"( { "a" : [1, {"b": "]"}] , "c" : {} } )"), R"(a=[1, {"b": "]"}] c={} )");
  EXPECT_EQ(scanned("{}"), "");
}

TEST(JsonLine, TakesEscapesOutOfTexts) {
  EXPECT_EQ(scanned(R"({"a\n":"\"\u00e9\\"})"), "a\n='\"\u00e9\\' ");
}

TEST(JsonLine, NumbersReadBackBitForBitAndMayBeTexts) {
  double value = 0;
  scan_json_line(R"({"x":0.030655340499833983})",
                 [&](std::string_view, const JsonLineValue& v) { value = v.number; });
  EXPECT_EQ(value, 0.030655340499833983);
  scan_json_line(R"({"x":"-inf"})", [&](std::string_view, const JsonLineValue& v) {
    EXPECT_TRUE(v.counts());
    value = v.number;
  });
  EXPECT_TRUE(std::isinf(value) && value < 0);
  scan_json_line(R"({"x":"nano"})",
                 [&](std::string_view, const JsonLineValue& v) { EXPECT_FALSE(v.counts()); });
}

TEST(JsonLine, RefusesWhatIsNoObject) {
  for (const char* line : {"",
                           "{",
                           "}",
                           "[]",
                           "1",
                           R"({"a"})",
                           R"({"a":})",
                           R"({"a":1)",
                           R"({"a":1,})",
                           R"({a:1})",
                           R"({"a":1}x)",
                           R"({"a":inf})",
                           R"({"a":-})",
                           R"({"a":nan})",
                           R"({"a":"b)",
                           R"({"a":"\q"})",
                           R"({"a":"\)",
                           R"({"a":[1})",
                           R"({"a":tru})",
                           "{\"a\":\"\n\"}",
                           R"({"a":]})"}) {
    EXPECT_EQ(scanned(line), "-") << line;
  }
}

}  // namespace
}  // namespace convoy
