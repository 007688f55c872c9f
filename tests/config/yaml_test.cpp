#include "config/yaml.h"

#include <gtest/gtest.h>

#include "support/allocations.h"
#include "support/fixture.h"

namespace convoy {
namespace {

// The entries as `key=text` or `key=[text]`, one a line; or what is wrong.
std::string read(std::string_view text) {
  std::string all;
  try {
    for (const YamlEntry& entry : read_yaml(text, "x.yml", Fault::usage)) {
      all += entry.key + (entry.is_list ? "=[" + entry.text + "]" : "=" + entry.text) + "\n";
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    return error.what();
  }
  return all;
}

TEST(Yaml, PlainScalarsAreWhatStandsBetweenTheColonAndTheComment) {
  EXPECT_EQ(read("a: b\n"), "a=b\n");
  EXPECT_EQ(read("a:   b c\t # d\n"), "a=b c\n");
  EXPECT_EQ(read("a: b#c"), "a=b#c\n");
  EXPECT_EQ(read("a: -1\nb: --x\nc: ?x\nd: :x\ne: x:y\n"), "a=-1\nb=--x\nc=?x\nd=:x\ne=x:y\n");
  EXPECT_EQ(read("a b : c\r\nd: e\r\n"), "a b=c\nd=e\n");
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a: größer\n"),
            "a=größer\n");
  EXPECT_EQ(read("a: it's \"so\"\n"), "a=it's \"so\"\n");
}

TEST(Yaml, QuotedScalarsKeepEverything) {
  EXPECT_EQ(read("a: 'it''s: # b'  # c\n"), "a=it's: # b\n");
  EXPECT_EQ(read("a: ''\nb: \"\"\n"), "a=\nb=\n");
  EXPECT_EQ(read(R"(a: "\"\\\/\t\x41\u00e9\U0001F600 ")"), "a=\"\\/\tAé😀 \n");
  EXPECT_EQ(read("'a b': 1\n\"c\\x64\": 2\n"), "a b=1\ncd=2\n");
  EXPECT_EQ(read("a: null\n"), "x.yml:1: a: has no value; for empty text write ''");
  EXPECT_EQ(read("a: 'null'\n"), "a=null\n");
  for (const char* wrong : {"\\q", "\\x4", "\\xg0", "\\0", "\\x00", "\\ud800", "\\U00110000"}) {
    EXPECT_EQ(read(std::string("a: \"") + wrong + "\"\n"),
              "x.yml:1: not valid YAML: an unknown escape after \\")
        << wrong;
  }
}

TEST(Yaml, ListsAreInBracketsOrBelow) {
  EXPECT_EQ(read("a: [1, 'b', \"c\", d e]\nb: [ ]\nc: [x,]\n"), "a=[1,b,c,d e]\nb=[]\nc=[x]\n");
  EXPECT_EQ(read("a: [1,  # one\n  2\n  , 3\n\n]  # end\nb: 1\n"), "a=[1,2,3]\nb=1\n");
  EXPECT_EQ(read("a:\n  - 1\n\n  # c\n  - 'b'  # d\nb:\n- x\nc: 1\n"), "a=[1,b]\nb=[x]\nc=1\n");
  EXPECT_EQ(read("a: [b#c, x:y, -1]\n"), "a=[b#c,x:y,-1]\n");
}

TEST(Yaml, TextInLinesKeepsItsLineBreaks) {
  EXPECT_EQ(read("a: |\n  one # no comment\n\n    two\n\n\nb: 1\n"),
            "a=one # no comment\n\n  two\n\nb=1\n");
  EXPECT_EQ(read("a: |-  # c\n  one\n  two"), "a=one\ntwo\n");
  EXPECT_EQ(read("a: |\nb: 1\n"), "a=\nb=1\n");
}

TEST(Yaml, OneDocumentMayHaveItsMarks) {
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("# c\n--- # d\n\na: 1\n...\n# e\n"), "a=1\n");
  EXPECT_EQ(read("---\n"), "");
  EXPECT_EQ(read("a: 1\n...\nb: 2\n"), "x.yml:3: a second YAML document; try: only one");
  EXPECT_EQ(read("---\n---\na: 1\n"), "x.yml:2: a second YAML document; try: only one");
}

TEST(Yaml, WhatIsNoFlatMapIsRefusedWithItsLine) {
  const auto says = [](std::string_view text, std::string_view words) {
    EXPECT_NE(read(text).find(words), std::string::npos) << text << "\n" << read(text);
  };
  says("a: &b c\n", "x.yml:1: not valid YAML here: anchors");
  says("a: 1\nb: [*a]\n", "x.yml:2: not valid YAML here: anchors");
  says("a: !!str 1\n", "x.yml:1: a: has a tag");
  says("a: >\n  b\n", "folded text");
  says("a: |2\n  b\n", "only | and |-");
  says("a:\n  b\n", "x.yml:2: a: its value is on another line");
  says("a: b\n  c\n", "x.yml:2: not valid YAML: an indented line");
  says("a:\n  - b\n - c\n", "x.yml:3: not valid YAML");
  says("a:\n  - b: c\n", "x.yml:2: not valid YAML");
  says("a:\n  - - b\n", "a list inside a list");
  says("a:\n  -\n", "x.yml:2: a: has no value");
  says("a: [b\n", "x.yml:1: not valid YAML: a list is not closed");
  says("a: [b] c\n", "text behind a list");
  says("a: 'b' c\n", "text behind a quote");
  says("a: [b: c]\n", "a: has keys of its own");
  says("a: [,]\n", "begins with ,");
  says("a: [b c: d]\n", "has keys of its own");
  says("a: ]\n", "begins with ]");
  says("a: - b\n", "begins with -");
  says("a: % b\n", "begins with %");
  says("%YAML 1.2\n---\na: 1\n", "x.yml:1: not valid YAML here: a directive");
  says("{a: 1}\n", "x.yml:1: a key that is not plain text");
  says("[a]: 1\n", "x.yml:1: a key that is not plain text");
  says("&x a: 1\n", "x.yml:1: a key that is not plain text");
  says("a: \x01\n", "x.yml:1: not valid YAML: a control character");
  says("a: b\rc: d\n", "a control character");
  says(std::string("a: \0", 4), "is not a recipe");
}

// What yaml-cpp 0.7 answered with all memory, and with a loop without end.
TEST(Yaml, AFewBytesTakeNoMoreThanAFewBytes) {
  const test::AllocationCounter counter;
  EXPECT_EQ(read(",\n"), "x.yml:1: not a map; try: lines of the form `key: value`");
  EXPECT_EQ(read("# a recipe, damaged in its comments: In---\n32; theirs is fp16.\n# Cost: ---\n"
                 ",000 x 10^15 operations.\nbase: resnet50.yml\n"),
            "x.yml:2: not a map; try: lines of the form `key: value`");
  EXPECT_LT(counter.bytes(), 1 << 16);
}

TEST(Yaml, TimeAndMemoryAreProportionalToTheText) {
  const auto of = [](std::string_view before, std::string_view piece, std::string_view after) {
    std::string text(before);
    while (text.size() + piece.size() + after.size() <= most_yaml_bytes) text += piece;
    return text + std::string(after);
  };
  for (const std::string& text : {of("", "[", ""),          of("a: ", "[", ""),
                                  of("a: ", "{", ""),       of("a: [", "b,", "]\n"),
                                  of("a: [", "\n", "]\n"),  of("a: [", "# c\n", "]\n"),
                                  of("a:\n", "- b\n", ""),  of("", " ", "x"),
                                  of("a", " ", ": 1\n"),    of("a: b", " ", "\n"),
                                  of("a: b", " ", "# c\n"), of("a: |\n", " b\n", ""),
                                  of("a: |\n", "\n", ""),   of("", "\n", ""),
                                  of("", "#\n", ""),        of("a: \"", "\\x41", "\"\n"),
                                  of("a: '", "''", "'\n"),  of("a: ", "b:", "\n"),
                                  of("", "a: 1\n", ""),     of("", "---\n", ""),
                                  of("? ", "? ", "")}) {
    const test::AllocationCounter counter;
    read(text);
    EXPECT_LT(counter.bytes(), 20 << 20) << text.substr(0, 20);
  }
  EXPECT_NE(read(of("", "a: 1\n", "")).find("x.yml:4097: more keys"), std::string::npos);
}

}  // namespace
}  // namespace convoy
