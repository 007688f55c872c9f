#include "config/option_texts.h"

#include "config/support.h"

namespace convoy {
namespace {

struct Options {
  double share = 0.1;
  std::vector<double> sizes;
  bool on = true;

  void describe(Fields& field) {
    field("share", share, "help", between(0, 1));
    field("sizes", sizes, "help", {}, {"lengths"});
    field("on", on, "help", any_value().training_only());
  }
};

constexpr auto declare = describe_options<Options>;

TEST(OptionTexts, CarryTheValuesThatAreNotAsUsual) {
  Fields field({{"share", {"0.25", "command line"}}, {"lengths", {"1,2.5", "configs/x.yml", 3}}});
  OptionTexts texts;
  texts.describe(field, declare);
  field.finish();
  EXPECT_EQ(texts.changed().size(), 2u);
  EXPECT_EQ(texts.changed().at("sizes").where(), "configs/x.yml:3");
  const auto options = texts.read<Options>();
  EXPECT_EQ(options.share, 0.25);
  EXPECT_EQ(options.sizes, (std::vector<double>{1, 2.5}));
  EXPECT_TRUE(options.on);
}

TEST(OptionTexts, GiveTheUsualValuesWhereNothingWasSet) {
  Fields field({});
  OptionTexts texts;
  texts.describe(field, declare);
  texts.describe(field, nullptr);
  EXPECT_TRUE(texts.changed().empty());
  EXPECT_EQ(texts.read<Options>().share, 0.1);
  EXPECT_EQ(option_keys(declare), (std::vector<std::string>{"share", "sizes", "on"}));
  EXPECT_TRUE(option_keys(nullptr).empty());
}

TEST(OptionTexts, RefuseWhatTheOptionDoesNotTake) {
  EXPECT_TRUE(test::contains(test::usage_error([] {
                               OptionTexts{{"share", "2"}}.read<Options>();
                             }),
                             "share \"2\" (set) is not between 0 and 1"));
}

TEST(OptionTexts, LeaveOutOptionsOfTrainingInAnEvaluation) {
  Fields field({});
  OptionTexts texts;
  field.evaluation_only(true);
  texts.describe(field, declare);
  EXPECT_EQ(field.all().size(), 2u);
  texts.set("on", "false");
  EXPECT_FALSE(texts.read<Options>().on);
}

}  // namespace
}  // namespace convoy
