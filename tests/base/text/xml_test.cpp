#include "base/text/xml.h"

#include <gtest/gtest.h>

#include <vector>

namespace convoy {
namespace {

// "+path" where an element begins, "-path=text@line" where it ends.
std::vector<std::string> events(std::string_view text) {
  std::vector<std::string> all;
  for_each_xml_element(text, [&](const XmlEvent& event) {
    all.push_back(event.begins ? "+" + std::string(event.path)
                               : "-" + std::string(event.path) + "=" + std::string(event.text) +
                                     "@" + std::to_string(event.line));
  });
  return all;
}

TEST(Xml, ElementsHavePathsAndTexts) {
  EXPECT_EQ(
      events("<?xml version='1.0'?><a x='1'>\n one <b> 2 &lt; </b>two<!-- c -->\n<b/></a>\n"),
      (std::vector<std::string>{"+a", "+a/b", "-a/b=2 <@2", "+a/b", "-a/b=@3", "-a=one two@3"}));
  // UTF-16, as some programs for Windows write it.
  EXPECT_EQ(events(std::string_view("\xff\xfe<\0a\0/\0>\0", 10)).size(), 2u);
}

TEST(Xml, ErrorsHaveALine) {
  try {
    events("<a>\n<b></a>");
    ADD_FAILURE() << "was read";
  } catch (const XmlError& error) {
    EXPECT_STREQ(error.what(), "line 2: mismatched tag");
  }
}

TEST(Xml, EntitiesAreNotExpanded) {
  EXPECT_THROW(events("<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d '&b;&b;&b;'>]><a>&d;</a>"), XmlError);
  EXPECT_THROW(events("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>"), XmlError);
}

TEST(Xml, WhatTheTakerThrowsArrives) {
  EXPECT_THROW(for_each_xml_element("<a/>", [](const XmlEvent&) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

}  // namespace
}  // namespace convoy
