#include "base/text/json_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonText, WhatIsNoUtf8IsNoException) {
  const Json json{{"file", "caf\xe9.jpg"}, {"n", 1}};
  EXPECT_EQ(json_text(json), "{\"file\":\"caf\xef\xbf\xbd.jpg\",\"n\":1}");
}

TEST(JsonText, HiddenCharactersComeBackWhenItIsRead) {
  const Json json{{"name", "\x1b[31m\xe2\x80\xae\xf3\xa0\x81\x81 \x7f"}};
  const std::string text = json_text(json, 1);
  EXPECT_TRUE(
      std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); }));
  EXPECT_EQ(Json::parse(text), json);
}

}  // namespace
}  // namespace convoy
