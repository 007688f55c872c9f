#include "base/show.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

TEST(Show, OrdinaryTextOfAnyLanguageStays) {
  const std::string text = "Größe, 写真, صورة, 🙂, back\\slash \"quoted\"";
  EXPECT_EQ(one_line(text), text);
  EXPECT_EQ(plain_text(text), text);
  EXPECT_EQ(plain_json(text), text);
}

TEST(Show, WhatATerminalWouldObeyIsWritten) {
  EXPECT_EQ(one_line("a\nb\tc\rd"), "a\\nb\\tc\\x0dd");
  EXPECT_EQ(one_line("\x1b[31m\x07\x7f"), "\\x1b[31m\\x07\\x7f");
  EXPECT_EQ(one_line(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(one_line("\xc2\x9b"
                     "31m"),
            "\\u{9b}31m");  // the control that begins a sequence
  EXPECT_EQ(one_line("\xe2\x80\xae"
                     "gpj.exe"),
            "\\u{202e}gpj.exe");
  EXPECT_EQ(one_line("a\xe2\x80\x8b"
                     "b\xef\xbb\xbf"),
            "a\\u{200b}b\\u{feff}");
  EXPECT_EQ(one_line("\xe2\x80\xa8"), "\\u{2028}");
  EXPECT_EQ(one_line("\xf3\xa0\x81\x81"), "\\u{e0041}");
}

TEST(Show, BytesThatAreNoUtf8AreWritten) {
  EXPECT_EQ(one_line("\xff"
                     "a"),
            "\\xffa");
  EXPECT_EQ(one_line("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(one_line("\xc0\xaf"), "\\xc0\\xaf");           // longer than needed
  EXPECT_EQ(one_line("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(one_line("\xe2\x80"), "\\xe2\\x80");           // cut off
}

TEST(Show, WhatWasWrittenOnceStays) {
  const std::string once = one_line("a\n\x1b\xff\xe2\x80\xae");
  EXPECT_EQ(one_line(once), once);
}

TEST(Show, ATextOfSeveralLinesKeepsThem) {
  EXPECT_EQ(plain_text("a\tb\n\x1b[2Jc\r\n"), "a\tb\n\\x1b[2Jc\\x0d\n");
}

TEST(Show, JsonStaysJson) {
  EXPECT_EQ(plain_json("{\"a\": \"\x7f\xc2\x9b\xe2\x80\xae\"}"),
            "{\"a\": \"\\u007f\\u009b\\u202e\"}");
  EXPECT_EQ(plain_json("\"\xf3\xa0\x81\x81\""), "\"\\udb40\\udc41\"");
  EXPECT_EQ(plain_json("[\n 1\n]"), "[\n 1\n]");
}

TEST(Show, OnlyArgumentsAreEscapedAndNumbersAreThemselves) {
  const char* name = "a\nb";
  EXPECT_EQ(shown("{}\n{:>6}|{:.2f} {} {}\n", name, std::string("\x1b"), 0.5, 7, true),
            "a\\nb\n  \\x1b|0.50 7 true\n");
}

}  // namespace
}  // namespace convoy
