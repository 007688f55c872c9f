#include "config/help.h"

#include <cstdlib>

#include "base/text/text.h"
#include "config/support.h"

namespace convoy {
namespace {

using test::contains;

std::vector<Field> declared() {
  Fields field({});
  bool nesterov = false;
  int batch = 32;
  float momentum = 0.9f;
  std::string optimizer = "sgd", name;
  std::vector<double> milestones{30, 60};
  field.section("Optimiser");
  field("optimizer", optimizer, "the rule of the update", one_of({"sgd", "adam"}));
  field("momentum", momentum, "share of the last step that is kept", between(0, 1));
  field.section("Data");
  field("batch-size", batch, "images per replica and step", at_least(1), {"bs", "b"});
  field.section("Optimiser");
  field("nesterov", nesterov, "look ahead along the momentum");
  field("a-very-long-option-name-indeed", name, "needs a line of its own");
  field("milestones", milestones, "where the rate falls");
  return field.all();
}

TEST(Help, ShowsEachOptionInItsSection) {
  EXPECT_EQ(options_help(declared(), 78),
            "\n"
            "Optimiser:\n"
            "  --optimizer TEXT                the rule of the update (default sgd; one of\n"
            "                                  sgd, adam)\n"
            "  --momentum NUMBER               share of the last step that is kept (default\n"
            "                                  0.9; between 0 and 1)\n"
            "  --[no-]nesterov                 look ahead along the momentum (default\n"
            "                                  false)\n"
            "  --a-very-long-option-name-indeed TEXT\n"
            "                                  needs a line of its own (default: none)\n"
            "  --milestones NUMBER,..          where the rate falls (default 30,60)\n"
            "\n"
            "Data:\n"
            "  --batch-size INT  images per replica and step (default 32; at least 1; also\n"
            "                    --bs, -b)\n");
}

TEST(Help, AnOptionThatSeveralDeclareIsShownWithEachOfThem) {
  Fields field({});
  double decay = 0.1;
  for (const char* section : {"With step", "With stepped"}) {
    field.section(section);
    field("decay", decay, "what a drop multiplies by");
    field("decay", decay, "what a drop multiplies by");
  }
  EXPECT_EQ(options_help(field.all(), 78),
            "\n"
            "With step:\n"
            "  --decay NUMBER  what a drop multiplies by (default 0.1)\n"
            "\n"
            "With stepped:\n"
            "  --decay NUMBER  what a drop multiplies by (default 0.1)\n");
}

TEST(Help, KeepsTheWidth) {
  for (const int width : {60, 80, 100}) {
    for (const std::string& line : split(options_help(declared(), width), '\n')) {
      EXPECT_LE(line.size(), static_cast<size_t>(width)) << line;
    }
  }
}

TEST(Help, WrapsAtSpaces) {
  EXPECT_EQ(wrapped("one two  three four five six seven", 2, 22),
            "one two three four\n  five six seven");
  EXPECT_EQ(wrapped("", 2, 22), "");
  const std::string word(50, 'x');
  EXPECT_EQ(wrapped(word, 0, 20), word);
}

TEST(Help, TakesTheShellsWidthWithinLimits) {
  const char* before = std::getenv("COLUMNS");
  const std::string saved = before ? before : "";
  for (const auto& [told, width] : {std::pair{"70", 70}, {"1000", 100}, {"1", 40}}) {
    ::setenv("COLUMNS", told, 1);
    EXPECT_EQ(help_width(), width);
  }
  ::setenv("COLUMNS", "wide", 1);
  EXPECT_GE(help_width(), 40);
  before ? ::setenv("COLUMNS", saved.c_str(), 1) : ::unsetenv("COLUMNS");
}

// An option of several choices has the meaning and the default of each.
TEST(Help, AnOptionOfTwoChoicesIsExplainedForEach) {
  Fields field({});
  float epsilon = 0.0316f, other = 0.001f;
  field.section_with("--optimizer rmsprop");
  field("epsilon", epsilon, "beside the root");
  field.section_with("--optimizer tf-rmsprop");
  field("epsilon", other, "under the root");
  const std::string text = options_help(field.all(), 80);
  const size_t second = text.find("With --optimizer tf-rmsprop");
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_NE(text.substr(0, second).find("beside the root (default 0.0316)"), std::string::npos);
  EXPECT_NE(text.substr(second).find("under the root (default 0.001)"), std::string::npos) << text;
}

TEST(Help, ATopicIsASectionOrAnOption) {
  EXPECT_EQ(topic_help(declared(), "data", 78),
            "\n"
            "Data:\n"
            "  --batch-size INT  images per replica and step (default 32; at least 1; also\n"
            "                    --bs, -b)\n");
  EXPECT_EQ(topic_help(declared(), "DATA", 78), topic_help(declared(), "data", 78));
  EXPECT_EQ(topic_help(declared(), "momentum", 78),
            "\n"
            "Options:\n"
            "  --momentum NUMBER  share of the last step that is kept (default 0.9; between\n"
            "                     0 and 1)\n");
  EXPECT_TRUE(contains(topic_help(declared(), "bs", 78), "--batch-size"));
  EXPECT_EQ(topic_help(declared(), "nonsense", 78), "");
  EXPECT_EQ(topic_help(declared(), "", 78), "");
}

TEST(Help, TheTopicsOfAChoiceAreTheOptionAndTheChoice) {
  Fields field({});
  double value = 0;
  field("plain", value, "of no section");
  field.section("Learning rate");
  field("lr", value, "the rate");
  field.section_with("--lr-schedule step");
  field("every", value, "epochs");
  field.section("Of `bench convs` and `bench data`");
  field("rounds", value, "how often");
  using Words = std::vector<std::string>;
  EXPECT_EQ(help_topics(field.all(), false),
            (Words{"options", "learning", "lr-schedule", "convs"}));
  EXPECT_EQ(help_topics(field.all(), true),
            (Words{"options", "learning", "lr-schedule", "step", "convs"}));
}

TEST(Help, ABriefLineIsTheFirstClauseAndTheDefaultWhereThereIsRoom) {
  EXPECT_EQ(brief_help(declared(), {"batch-size", "nesterov", "optimizer"}, 60),
            "  --batch-size INT  images per replica and step (default 32)\n"
            "  --[no-]nesterov   look ahead along the momentum\n"
            "  --optimizer TEXT  the rule of the update (default sgd)\n");
}

}  // namespace
}  // namespace convoy
