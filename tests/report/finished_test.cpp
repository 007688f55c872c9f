#include "report/finished.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

constexpr std::string_view good =
    R"({"event":"run_end","step":16,"weights_hash":"0123456789abcdef","exit":0})";

std::string told(const std::string& metrics) {
  const std::optional<FinishedRun> end = read_finished_run(metrics);
  return end ? std::to_string(end->step) + " " + end->weights_hash : "no end";
}

TEST(FinishedRun, IsTheLastLineOfAFinishedRun) {
  EXPECT_EQ(told(std::string(good) + "\n"), "16 0123456789abcdef");
  EXPECT_EQ(told("{\"event\":\"train\"}\n" + std::string(good) + "\n"), "16 0123456789abcdef");
  EXPECT_EQ(told(std::string(good)), "no end");
  EXPECT_EQ(told(std::string(good) + "\n{\"event\":\"resume\"}\n"), "no end");
}

TEST(FinishedRun, WhateverElseStandsThereIsNone) {
  for (const char* line :
       {"", "\n", "7", "[]", "null", "{}", "{\"event\":7}", "{\"event\":\"run_end\"}",
        "{\"event\":\"run_end\",\"exit\":\"0\"}",
        "{\"event\":\"run_end\",\"exit\":0,\"step\":\"x\"}",
        "{\"event\":\"run_end\",\"exit\":0,\"weights_hash\":1}", "{\"event\":"}) {
    EXPECT_EQ(told(std::string(good) + "\n" + line + "\n"), "no end") << line;
  }
  EXPECT_EQ(told(std::string(80'000, '[') + "\n"), "no end");
}

}  // namespace
}  // namespace convoy
