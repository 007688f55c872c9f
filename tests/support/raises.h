// Checks an error as a user meets it: whose fault, and one line with the words that help.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>

#include "base/error.h"

namespace convoy::test {

template <class Body>
void expect_raises(Fault fault, std::initializer_list<std::string_view> words, Body&& body) {
  try {
    body();
    ADD_FAILURE() << "nothing was raised";
  } catch (const Error& error) {
    const std::string_view text = error.what();
    EXPECT_EQ(error.fault(), fault) << text;
    EXPECT_EQ(text.find('\n'), text.npos) << text;
    for (const std::string_view word : words) {
      EXPECT_NE(text.find(word), text.npos) << "no '" << word << "' in: " << text;
    }
  }
}

}  // namespace convoy::test
