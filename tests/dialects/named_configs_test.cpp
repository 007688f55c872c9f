#include "dialects/named_configs.h"

#include <gtest/gtest.h>

#include "config/config_file.h"
#include "dialects/support.h"
#include "report/page/asset.h"
#include "support/places.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

std::string value(const std::vector<NamedConfig>& all, const std::string& name,
                  const std::string& key) {
  std::string found = "(none)";
  for (const NamedConfig& config : all) {
    for (const YamlEntry& entry : config.entries) {
      if (config.name == name && entry.key == key) found = entry.text;
    }
  }
  return found;
}

TEST(NamedConfigs, AreMergedByAnchors) {
  const auto all = read_named_configs(
      "# comment\n\nparent: &p\n    a: 1\n    b: [x, 'y']\n    s: &s 7\nchild:  # more\n    <<: "
      "*p\n    a: 2\n    t: *s\n"
      "both:\n    <<: [*p]\n    c:\n      - u\n      - v\n",
      "x.yml");
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(value(all, "child", "a"), "2");
  EXPECT_EQ(value(all, "child", "b"), "x,y");
  EXPECT_EQ(value(all, "child", "t"), "7");
  EXPECT_EQ(value(all, "both", "c"), "u,v");
}

TEST(NamedConfigs, OtherFormsAreRefusedWithTheirLine) {
  const auto refused = [](const std::string& text, std::initializer_list<std::string_view> words) {
    expect_raises(Fault::usage, words, [&] { read_named_configs(text, "x.yml"); });
  };
  refused("a: 1\n", {"x.yml:1", "is a map"});
  refused("  a: 1\n", {"x.yml:1"});
  refused("a:\n    b: 1\na:\n    b: 2\n", {"x.yml:3", "twice"});
  refused("a:\n    <<: *none\n", {"x.yml:2", "no anchor *none"});
  refused("a:\n    b: *none\n", {"x.yml:2", "no anchor *none"});
  refused("a:\n    b: 1\n  c: 2\n", {"x.yml:3", "indented less"});
  refused("a:\n    b:\n        c: 1\n", {"x.yml:"});
  refused("nonsense\n", {"x.yml:1"});
  refused(std::string(most_yaml_bytes + 1, ' '), {"1 MiB"});
}

// Merges of merges double the entries each time.
TEST(NamedConfigs, ManyMergesEnd) {
  std::string text = "c0: &c0\n    a: 1\n    b: 2\n";
  for (int i = 1; i < 40; ++i)
    text += fmt::format("c{0}: &c{0}\n    <<: [*c{1}, *c{1}]\n", i, i - 1);
  expect_raises(Fault::usage, {"too many options"}, [&] { read_named_configs(text, "x.yml"); });
}

// Graphcore's file and our recipes of the same names are the same runs. What differs is said by the
// dialect alone: 16-bit types, pipelines, logs, the folder of the data.
const std::set<std::string> said_by_the_dialect{
    "precision", "dtype",           "stochastic-rounding", "recompute",
    "pipeline",  "pipeline-splits", "pipeline-schedule",   "shards",
    "data-dir",  "mllog",           "checkpoint-keep"};

class GraphcoreConfigsCatalog : public testing::TestWithParam<std::string> {};

TEST_P(GraphcoreConfigsCatalog, IsTheRecipeOfItsName) {
  const std::vector<std::string> folders{(source_dir() / "configs").string()};
  const TranslatedCommand ours = translated("convoy cnns --config " + GetParam());
  EXPECT_EQ(recipe_of(ours.plan->options, said_by_the_dialect),
            recipe_of(load_config(GetParam(), folders, run_fields()), said_by_the_dialect));
}

std::vector<std::string> config_names() {
  std::vector<std::string> names;
  for (const NamedConfig& config : read_named_configs(asset("graphcore_configs.yml"), "own")) {
    if (!config.name.ends_with("_base")) names.push_back(config.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Names, GraphcoreConfigsCatalog, testing::ValuesIn(config_names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace convoy::test
