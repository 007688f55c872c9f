#include "boxes/voc_annotation.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

std::string with(const std::string& object) {
  return "<annotation><filename>a.jpg</filename><size><width>90</width><height>60</height>"
         "<depth>3</depth></size><object><name>cat</name><bndbox><xmin>1</xmin><ymin>1</ymin>"
         "<xmax>90</xmax><ymax>60</ymax></bndbox></object>" +
         object + "</annotation>";
}

TEST(VocAnnotation, HasAPictureAndItsObjects) {
  const VocRead read = parse_voc_annotation(
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- LabelImg -->\n<annotation "
      "verified=\"yes\">\n"
      "  <folder>x</folder><filename>\n    a &amp; b.jpg </filename>\n"
      "  <size><width>500</width><height>375.0</height><depth>3</depth></size>\n"
      "  <object><name>traffic light</name><pose>Left</pose><truncated>Unspecified</truncated>\n"
      "    <difficult>1</difficult>\n"
      "    <bndbox><ymin>2.5</ymin><xmax>48.25</xmax><xmin>-1</xmin><ymax>+371</ymax></bndbox>\n"
      "    <part><name>head</name><bndbox><xmin>9</xmin></bndbox></part>\n"
      "    <polygon><x1>1</x1></polygon></object>\n"
      "  <object><bndbox><xmin>7</xmin><ymin>7</ymin><xmax>3</xmax><ymax>8</ymax></bndbox>\n"
      "    <name><![CDATA[a<b]]></name></object>\n</annotation>\n");
  ASSERT_TRUE(read.problems.empty()) << read.problems[0].what;
  const VocAnnotation& all = read.annotation;
  EXPECT_EQ(all.file, "a & b.jpg");
  EXPECT_EQ(all.width, 500);
  EXPECT_EQ(all.height, 375);
  ASSERT_EQ(all.objects.size(), 2u);
  EXPECT_EQ(all.objects[0].name, "traffic light");
  EXPECT_TRUE(all.objects[0].difficult);
  EXPECT_EQ(all.objects[0].xmin, -1);
  EXPECT_EQ(all.objects[0].ymin, 2.5);
  EXPECT_EQ(all.objects[0].xmax, 48.25);
  EXPECT_EQ(all.objects[0].ymax, 371);
  EXPECT_EQ(all.objects[1].name, "a<b");
  EXPECT_FALSE(all.objects[1].difficult);
  EXPECT_EQ(all.objects[1].xmax, 3);
}

TEST(VocAnnotation, MayLackSizeAndObjects) {
  const VocRead read = parse_voc_annotation("<annotation><size><width/></size></annotation>");
  EXPECT_TRUE(read.problems.empty());
  EXPECT_EQ(read.annotation.width, 0);
  EXPECT_EQ(read.annotation.height, 0);
  EXPECT_TRUE(read.annotation.objects.empty());
}

std::string box(const std::string& xmin, const std::string& more = "") {
  return with("<object><name>dog</name>" + more + "<bndbox><xmin>" + xmin +
              "</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object>");
}

struct Mistake {
  std::string text;
  const char* what;
};

class VocMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(VocMistakes, AreNamed) {
  const VocRead read = parse_voc_annotation(GetParam().text);
  ASSERT_FALSE(read.problems.empty()) << GetParam().text;
  EXPECT_NE(read.problems[0].what.find(GetParam().what), std::string::npos)
      << read.problems[0].what;
  EXPECT_LE(read.annotation.objects.size(), 1u);  // the sound one, if it was reached
}

const std::string deep = [] {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "<a>";
  return text;
}();

INSTANTIATE_TEST_SUITE_P(
    All, VocMistakes,
    testing::Values(
        Mistake{"", "no element"}, Mistake{" \n", "no element"}, Mistake{"{}", "line 1"},
        Mistake{"0 0.5 0.5 0.1 0.1", "line 1"}, Mistake{"<annotation>", "no element found"},
        Mistake{"<annotation></annotations>", "mismatched tag"},
        Mistake{"<annotation/><annotation/>", "junk after"}, Mistake{"<annotation/>x", "line 1"},
        Mistake{"<annotation", "line 1"}, Mistake{"<annotation a=1/>", "line 1"},
        Mistake{"<annotation><a>&nope;</a></annotation>", "undefined entity"},
        Mistake{"<annotation>\xff\xfe</annotation>", "not well-formed"},
        Mistake{"<annotation>\x01</annotation>", "line 1"},
        Mistake{std::string("<annotation>\0</annotation>", 26), "line 1"},
        Mistake{"<!DOCTYPE a [<!ENTITY b \"c\">]><annotation/>", "DOCTYPE"},
        Mistake{"<?xml version=\"1.0\" encoding=\"GBK\"?><annotation/>", "unknown encoding"},
        Mistake{"<annotation>" + deep, "64 deep"}, Mistake{"<html></html>", "in place of"},
        Mistake{"<annotations></annotations>", "in place of"},
        Mistake{"<annotation><size><width>wide</width></size></annotation>", "number of pixels"},
        Mistake{"<annotation><size><width>-4</width></size></annotation>", "number of pixels"},
        Mistake{"<annotation><size><height>2.5</height></size></annotation>", "number of pixels"},
        Mistake{"<annotation><size><height>1e12</height></size></annotation>", "number of pixels"},
        Mistake{with("<object/>"), "without a <name>"},
        Mistake{with("<object><name>dog</name></object>"), "without <bndbox/xmin>"},
        Mistake{with("<object><name>dog</name><bndbox/></object>"), "without <bndbox/xmin>"},
        Mistake{with("<object><name>dog</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax>"
                     "</bndbox></object>"),
                "without <bndbox/ymax>"},
        Mistake{with("<object><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax><ymax>5</ymax>"
                     "</bndbox></object>"),
                "without a <name>"},
        Mistake{box("1", "<name>cat</name>"), "<name> twice"},
        Mistake{box("1", "<bndbox><xmin>1</xmin></bndbox>"), "<bndbox/xmin> twice"},
        Mistake{box(""), "no number of pixels"}, Mistake{box("left"), "no number of pixels"},
        Mistake{box("nan"), "no number of pixels"}, Mistake{box("inf"), "no number of pixels"},
        Mistake{box("-inf"), "no number of pixels"}, Mistake{box("1e300"), "no number of pixels"},
        Mistake{box("1,5"), "no number of pixels"}, Mistake{box("1 2"), "no number of pixels"},
        Mistake{box("1", "<difficult>2</difficult>"), "neither 0 nor 1"},
        Mistake{box("1", "<difficult>0</difficult><difficult>0</difficult>"), "<difficult> twice"},
        Mistake{with("<object><name> </name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>5</xmax>"
                     "<ymax>5</ymax></bndbox></object>"),
                "empty <name>"}));

TEST(VocAnnotation, TheLineOfAProblemIsKnown) {
  const VocRead read = parse_voc_annotation("<annotation>\n<object>\n<name>a</name></object>\n\n");
  ASSERT_EQ(read.problems.size(), 2u);
  EXPECT_EQ(read.problems[0].line, 3);
  EXPECT_EQ(read.problems[1].what, "line 5: no element found");
}

TEST(VocAnnotation, TakesAFileOfFewMegabytesOnly) {
  const VocRead read = parse_voc_annotation(std::string((16 << 20) + 1, ' '));
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_NE(read.problems[0].what.find("16777217 bytes"), std::string::npos);
}

}  // namespace
}  // namespace convoy
