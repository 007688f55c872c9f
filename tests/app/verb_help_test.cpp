// --help of every verb: a first screen that fits, and all of it by section.

#include "app/verb_help.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/text/text.h"
#include "config/help.h"
#include "config/support.h"

namespace convoy {
namespace {

using test::contains;
using test::usage_error;

class VerbHelp : public testing::Test {
 protected:
  VerbHelp() { ::setenv("COLUMNS", "80", 1); }
  ~VerbHelp() override { ::unsetenv("COLUMNS"); }

  static const CommandDef& verb(std::string_view name) {
    return *std::ranges::find(command_catalog(), name, &CommandDef::name);
  }
};

// The first screen has only the first clause of what an option does, without its choices: `of a
// run` or `train` says nothing there.
TEST_F(VerbHelp, WhatTheFirstScreenSaysOfAnOptionStandsAlone) {
  for (const CommandDef& command : command_catalog()) {
    for (const std::string& line : split(verb_help(command, ""), '\n')) {
      if (!line.starts_with("  --")) continue;
      const size_t gap = line.find("  ", 4);
      if (gap == line.npos) continue;  // it is on the next line
      std::string said = line.substr(line.find_first_not_of(' ', gap));
      said = said.substr(0, said.find(" ("));
      EXPECT_FALSE(said.starts_with("of ")) << command.name << ": " << line;
      EXPECT_FALSE(said.starts_with("and ")) << command.name << ": " << line;
    }
  }
}

TEST_F(VerbHelp, TheFirstScreenOfEveryVerbFits) {
  for (const CommandDef& command : command_catalog()) {
    const std::string text = verb_help(command, "");
    EXPECT_LE(std::ranges::count(text, '\n'), screen_lines) << text;
    for (const std::string& line : split(text, '\n')) {
      const bool is_ours = line.starts_with("  --") || line.starts_with("convoy ");
      if (is_ours) {
        EXPECT_LE(line.size(), 80u) << command.name << ": " << line;
      }
    }
    EXPECT_TRUE(contains(text, "--help")) << command.name;
  }
}

TEST_F(VerbHelp, TrainShowsTheOptionsThatPeopleUseMostAndTheSections) {
  const std::string text = verb_help(verb("train"), "");
  for (const char* option : {"--model", "--data-dir", "--epochs", "--batch-size", "--lr ",
                             "--init-from", "--config", "--threads", "--output"}) {
    EXPECT_TRUE(contains(text, option));
  }
  EXPECT_TRUE(contains(text, "convoy train --help all"));
  EXPECT_TRUE(contains(text, "model, data, length, optimisation, fine-tuning"));
  EXPECT_FALSE(contains(text, "--ra-reps"));
  EXPECT_TRUE(contains(verb_help(verb("train"), "all"), "--ra-reps"));
}

TEST_F(VerbHelp, EverySectionCanBeAskedForByItsWord) {
  for (const CommandDef& command : command_catalog()) {
    const std::vector<Field> fields = described(command.describe);
    for (const std::string& topic : help_topics(fields, true)) {
      EXPECT_TRUE(contains(verb_help(command, topic), "  --")) << command.name << " " << topic;
    }
  }
  const std::string data = verb_help(verb("train"), "data");
  EXPECT_TRUE(contains(data, "Data:\n"));
  EXPECT_FALSE(contains(data, "Model:\n"));
  const std::string rate = verb_help(verb("train"), "Learning Rate");
  EXPECT_TRUE(contains(rate, "Learning rate:\n"));
  const std::string optimizers = verb_help(verb("train"), "optimizer");
  EXPECT_TRUE(contains(optimizers, "With --optimizer lars:\n"));
  EXPECT_TRUE(contains(optimizers, "With --optimizer sgd:\n"));
  EXPECT_FALSE(contains(verb_help(verb("train"), "lars"), "With --optimizer sgd:\n"));
}

TEST_F(VerbHelp, AnOptionCanBeAskedForByItsName) {
  const std::string text = verb_help(verb("train"), "batch-size");
  EXPECT_TRUE(contains(text, "--global-batch-size INT"));
  EXPECT_FALSE(contains(text, "--epochs"));
}

TEST_F(VerbHelp, AnUnknownTopicNamesTheSections) {
  const std::string message = usage_error([] { verb_help(verb("train"), "nonsense"); });
  EXPECT_TRUE(
      contains(message, "no section or option nonsense; try: convoy train --help options|model|"));
  EXPECT_TRUE(contains(message, "|all"));
}

TEST_F(VerbHelp, SaysNOfNumbers) {
  for (const CommandDef& command : command_catalog()) {
    EXPECT_FALSE(contains(verb_help(command, "all"), "so many")) << command.name;
  }
}

}  // namespace
}  // namespace convoy
