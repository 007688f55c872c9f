#include "base/text/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace convoy {
namespace {

using Json = nlohmann::json;

// What is said about the text; empty: it was read.
std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
  try {
    parse_json(text, limits);
  } catch (const JsonError& error) {
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    return error.what();
  }
  return "";
}

TEST(ParseJson, GivesTheTreeThatTheTextIs) {
  const std::string text =
      R"({"a":[1,-2,2.5,true,null,"x\n",{"b":{}},[]],"c":{"d":18446744073709551615}})";
  EXPECT_EQ(parse_json(text), Json::parse(text));
  EXPECT_EQ(parse_json(" 3 "), Json(3));
  EXPECT_EQ(parse_ordered_json(R"({"z":1,"a":{"y":2,"b":[{"q":3}]}})").dump(),
            R"({"z":1,"a":{"y":2,"b":[{"q":3}]}})");
}

TEST(ParseJson, WhatNestsTooDeeplyIsRefusedWhileItIsRead) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(refusal(nested(16)), "");
  EXPECT_EQ(refusal(nested(17)), "nests too deeply");
  EXPECT_EQ(refusal(nested(80'000)), "nests too deeply");
  std::string objects;
  for (int i = 0; i < 80'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(refusal(objects), "nests too deeply");
}

TEST(ParseJson, LimitsHold) {
  EXPECT_EQ(refusal("[1,2,3]", {.bytes = 6}), "has 7 bytes, more than 6");
  EXPECT_EQ(refusal("[1,2,3]", {.values = 4}), "");
  EXPECT_EQ(refusal("[1,2,3]", {.values = 3}), "holds more than 3 values");
}

TEST(ParseJson, WhatIsNotJsonIsRefusedInOneLine) {
  for (const std::string_view text :
       {std::string_view(""), std::string_view("{"), std::string_view("[1,]"),
        std::string_view("{} x"), std::string_view("\"\xff\""), std::string_view("\n\nnul\n"),
        std::string_view("1e999")}) {
    EXPECT_TRUE(refusal(text).starts_with("is not JSON: ")) << text;
  }
  EXPECT_EQ(refusal(std::string_view("1\0", 2)), "contains a zero byte");
  EXPECT_EQ(refusal("\xef\xbb\xbf{}"), "begins with a byte order mark");
  EXPECT_EQ(refusal(R"({"a":{"b\n":1,"b\n":2}})"), "has \"b\\n\" twice");
}

TEST(JsonMembers, ComeOneByOneAndOnlyFromAnObject) {
  std::string seen;
  const auto take = [&](const std::string& name, const Json& value) {
    seen += name + "=" + value.dump() + ";";
  };
  for_each_json_member(R"({"b":{"x":[1,2]},"a":3,"b":[]})", {}, take);
  EXPECT_EQ(seen, R"(b={"x":[1,2]};a=3;b=[];)");
  // Only one member counts at a time.
  for_each_json_member(R"({"b":[1,2],"a":[3,4]})", {.values = 4}, take);
  for (const char* text : {"[]", "[1]", "3", "\"x\""}) {
    EXPECT_THROW(for_each_json_member(text, {}, take), JsonError) << text;
  }
}

}  // namespace
}  // namespace convoy
