#include "train/run/run_config.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

RunConfig read(const Settings& settings) {
  Fields field(settings);
  RunConfig config;
  config.describe(field);
  field.finish();
  return config;
}

TEST(RunConfig, OptionsThatChangeNoResultAreNoPartOfTheRecipe) {
  const Setting typed{"3", "command line"};
  const RunConfig config = read({{"lr", {"0.3", "command line"}},
                                 {"threads", typed},
                                 {"checkpoint-keep", typed},
                                 {"trace-steps", typed},
                                 {"workers", typed}});
  EXPECT_EQ(config.recipe(),
            (std::map<std::string, std::string>{{"lr", "0.3"}, {"model", "cifar_resnet20"}}));
  EXPECT_EQ(config.resolved().at("lr"), "0.3");
  for (const char* key : {"threads", "checkpoint-keep", "trace-steps", "workers"}) {
    EXPECT_FALSE(config.resolved().contains(key)) << key;
  }
}

TEST(RunConfig, HelpSaysThatAnOptionChangesNoResultWhereItDoesNot) {
  Fields field({});
  RunConfig::describe_all(field);
  int count = 0;
  for (const Field& one : field.all()) {
    if (one.help.find("hanges no result") == std::string::npos) continue;
    EXPECT_FALSE(one.limits.changes_results) << one.key;
    ++count;
  }
  EXPECT_GE(count, 4);
}

TEST(RunConfig, NamesThePassesThatCanBeLeftOut) {
  Fields field({});
  RunConfig::describe_all(field);
  EXPECT_NE(find_field(field.all(), "without")->help.find("fuse_forward, fuse_gradients"),
            std::string::npos);
}

}  // namespace
}  // namespace convoy
