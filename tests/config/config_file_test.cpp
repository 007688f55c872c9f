#include "config/config_file.h"

#include "config/support.h"
#include "support/raises.h"

namespace convoy {
namespace {

using test::contains;
using test::usage_error;
namespace fs = std::filesystem;

class ConfigFile : public testing::Test {
 protected:
  std::string value(const std::string& name, const std::string& key) {
    const Settings settings = load_config(name, {folder.path()});
    const auto found = settings.find(key);
    return found == settings.end() ? "(not set)" : found->second.text;
  }
  // What is said about a recipe with this text.
  std::string refusal(std::string_view text) {
    const std::string path = folder.write("bad.yml", text);
    return usage_error([&] { load_config(path, {}); });
  }

  test::ScratchFolder folder;
};

TEST_F(ConfigFile, HasFlatKeysWithOrigins) {
  const std::string path = folder.write("a.yml",
                                        "# comment\n"
                                        "batch_size: 64\n"
                                        "lr: 1e-3  # why\n"
                                        "name: \"a: b # c\"\n"
                                        "milestones: [30, 60, 80]\n"
                                        "augment:\n  - crop\n  - flip\n"
                                        "none: ''\n"
                                        "empty: []\n"
                                        "nesterov: True\n");
  const Settings settings = load_config(path, {});
  EXPECT_EQ(settings.size(), 8u);
  EXPECT_EQ(settings.at("batch-size").text, "64");
  EXPECT_EQ(settings.at("batch-size").origin, path);
  EXPECT_EQ(settings.at("batch-size").where(), path + ":2");
  EXPECT_EQ(settings.at("lr").text, "1e-3");
  EXPECT_EQ(settings.at("name").text, "a: b # c");
  EXPECT_EQ(settings.at("milestones").text, "30,60,80");
  EXPECT_EQ(settings.at("augment").text, "crop,flip");
  EXPECT_EQ(settings.at("none").text, "");
  EXPECT_EQ(settings.at("empty").text, "");
  EXPECT_EQ(settings.at("nesterov").text, "True");
}

TEST_F(ConfigFile, MayBeEmpty) {
  EXPECT_TRUE(load_config(folder.write("a.yml", ""), {}).empty());
  EXPECT_TRUE(load_config(folder.write("b.yml", "# nothing\n"), {}).empty());
}

TEST_F(ConfigFile, MayHaveBlockTextAndDocumentMarks) {
  const std::string path = folder.write("a.yml", "---\nnotes: |\n  one\n  two\nlr: 1\n...\n");
  EXPECT_EQ(value(path, "notes"), "one\ntwo\n");
  EXPECT_EQ(value(path, "lr"), "1");
}

TEST_F(ConfigFile, IsFoundByNameOrPath) {
  folder.write("cifar10/resnet20.yml", "lr: 1\n");
  folder.write("v1.5.yaml", "lr: 2\n");
  EXPECT_EQ(value("cifar10/resnet20", "lr"), "1");
  EXPECT_EQ(value("cifar10/resnet20.yml", "lr"), "1");
  EXPECT_EQ(value("v1.5", "lr"), "2");
  EXPECT_EQ(value(folder.path() + "/v1.5.yaml", "lr"), "2");
  EXPECT_EQ(load_config("v1.5", {folder.path()}).at("lr").origin, folder.path() + "/v1.5.yaml");
}

TEST_F(ConfigFile, AnEarlierFolderHidesALaterOne) {
  folder.write("one/a.yml", "lr: 1\n");
  folder.write("two/a.yml", "lr: 2\n");
  const Settings settings = load_config("a", {folder.path() + "/one", folder.path() + "/two"});
  EXPECT_EQ(settings.at("lr").text, "1");
}

TEST_F(ConfigFile, BasesComeFirstAndTheLastBaseWins) {
  folder.write("common/root.yml", "a: root\nb: root\nc: root\nd: root\n");
  folder.write("common/one.yml", "base: root\nb: one\nc: one\nd: one\n");
  folder.write("common/two.yml", "c: two\nd: two\n");
  folder.write("top.yml", "d: top\nbase: [common/one, common/two.yml]\n");
  EXPECT_EQ(value("top", "a"), "root");
  EXPECT_EQ(value("top", "b"), "one");
  EXPECT_EQ(value("top", "c"), "two");
  EXPECT_EQ(value("top", "d"), "top");
  EXPECT_EQ(value("top", "base"), "(not set)");
  const Settings settings = load_config("top", {folder.path()});
  EXPECT_EQ(settings.at("a").where(), folder.path() + "/common/root.yml:1");
}

TEST_F(ConfigFile, ABaseIsFoundInTheRecipeFoldersToo) {
  folder.write("recipes/fast.yml", "lr: 3\n");
  const std::string mine = folder.write("mine/fast.yml", "base: fast\nepochs: 2\n");
  const Settings settings = load_config(mine, {folder.path() + "/recipes"});
  EXPECT_EQ(settings.at("lr").text, "3");  // not a circle: the recipe of the same name
  EXPECT_EQ(settings.at("epochs").text, "2");
}

TEST_F(ConfigFile, BasesInACircleAreRefused) {
  folder.write("a.yml", "base: b\n");
  folder.write("b.yml", "lr: 1\nbase:\n  - c\n");
  folder.write("c.yml", "base: ./a.yml\n");
  const std::string message = usage_error([&] { load_config("a", {folder.path()}); });
  EXPECT_TRUE(contains(message, "c.yml:1: base: ./a.yml"));
  EXPECT_TRUE(contains(message, "in a circle"));
  folder.write("self.yml", "base: self\n");
  EXPECT_TRUE(contains(usage_error([&] { load_config("self", {folder.path()}); }), "in a circle"));
}

TEST_F(ConfigFile, SharedBasesDoNotMultiply) {
  folder.write("r0.yml", "lr: 1\n");
  for (int i = 1; i <= 60; ++i) {  // 2^60 readings if each were followed
    const std::string below = "r" + std::to_string(i - 1);
    folder.write("r" + std::to_string(i) + ".yml", "base: [" + below + ", " + below + "]\n");
  }
  EXPECT_EQ(value("r60", "lr"), "1");
}

TEST_F(ConfigFile, AFileOverridesItsBaseUnderAnAlias) {
  Fields field({});
  float lr = 0;
  field("lr", lr, "learning rate", {}, {"learning-rate"});
  folder.write("a.yml", "learning_rate: 1\n");
  folder.write("b.yml", "base: a\nlr: 2\n");
  const Settings settings = load_config("b", {folder.path()}, field.all());
  EXPECT_EQ(settings.size(), 1u);
  EXPECT_EQ(settings.at("lr").text, "2");
  folder.write("c.yml", "learning_rate: 1\nlr: 2\n");
  EXPECT_TRUE(contains(usage_error([&] { load_config("c", {folder.path()}, field.all()); }),
                       "c.yml:2: lr stands already in line 1"));
}

TEST_F(ConfigFile, TheLastPartOfANameIsEnoughWhereOneRecipeHasIt) {
  folder.write("graphcore/pod16.yml", "epochs: 16\n");
  folder.write("imagenet/resnet50.yml", "epochs: 50\n");
  folder.write("graphcore/resnet50.yml", "epochs: 51\n");
  EXPECT_EQ(value("pod16", "epochs"), "16");
  EXPECT_EQ(value("pod16.yml", "epochs"), "16");
  EXPECT_EQ(usage_error([&] { load_config("resnet50", {folder.path()}); }),
            "2 recipes are called resnet50; try: one of graphcore/resnet50, imagenet/resnet50");
  EXPECT_EQ(usage_error([&] { load_config("podd16", {folder.path()}); }),
            "there is no recipe or file podd16; nearest: graphcore/pod16");
  EXPECT_TRUE(contains(usage_error([&] { load_config("zzzzzzzz", {folder.path()}); }),
                       "try: the path of a .yml file, or one of the"));
}

TEST_F(ConfigFile, WhatDoesNotExistNamesTheNearest) {
  folder.write("cifar10.yml", "lr: 1\n");
  EXPECT_EQ(usage_error([&] { load_config("cifar1", {folder.path()}); }),
            "there is no recipe or file cifar1; nearest: cifar10");
  EXPECT_TRUE(contains(usage_error([&] { load_config("qqqqqqqqqq", {folder.path()}); }),
                       "try: the path of a .yml file, or one of the 1 that"));
  EXPECT_TRUE(contains(usage_error([&] { load_config("x.yml", {}); }), "no recipe or file x.yml"));
  EXPECT_TRUE(contains(usage_error([&] { load_config(folder.path(), {}); }), "no recipe or file"));
  EXPECT_TRUE(contains(usage_error([&] { load_config("", {folder.path()}); }), "no recipe"));
  const std::string path = folder.write("top.yml", "lr: 1\nbase: cifar11\n");
  const std::string message = usage_error([&] { load_config(path, {folder.path()}); });
  EXPECT_TRUE(contains(message, "top.yml:2: base: there is no recipe cifar11; nearest: cifar10"));
}

TEST_F(ConfigFile, MalformedFilesNameFileLineAndKey) {
  const auto says = [&](std::string_view text, std::string_view what) {
    const std::string message = refusal(text);
    EXPECT_TRUE(contains(message, what)) << "for: " << text;
  };
  says("lr: 1\noptimizer:\n  name: sgd\n", "bad.yml:3: optimizer: has keys of its own");
  says("lr: 1\nflow: {a: b}\n", "bad.yml:2: flow: has keys of its own");
  says("lr: 1\nepochs: 3\nlr: 2\n", "bad.yml:3: lr stands already in line 1");
  says("batch-size: 1\nbatch_size: 1\n", "bad.yml:2: batch-size stands already in line 1");
  says("a: [1, [2]]\n", "bad.yml:1: a: a list inside a list");
  says("a: [1, {b: 2}]\n", "bad.yml:1: a: has keys of its own");
  says("a: ['1,2', 3]\n", "bad.yml:1: a: an element of a list may not");
  says("lr:\n", "lr: has no value");
  says("lr: ~\n", "bad.yml:1: lr: has no value");
  says("base:\n", "base: has no value");
  says("base: {a: 1}\n", "bad.yml:1: base: has keys");
  says("a: 1\n\tb: 2\n", "bad.yml:2: not valid YAML");
  says("\ta: 1\n", "bad.yml:1: not valid YAML");
  says("a: 1\n  b: 2\n", "bad.yml:2: not valid YAML");
  says("a: \"open\nb: 1\n", "not valid YAML: a quote is not closed");
  says("a: 'open", "not valid YAML: a quote is not closed");
  says("a: \"open\\", "not valid YAML");
  says("a: [1, 2\nb: 1\n", "not valid YAML");
  says("a: *nothing\n", "bad.yml:1: not valid YAML");
  says("a: b: c\n", "bad.yml:1: not valid YAML");
  says("- a\n- b\n", "bad.yml:1: not a map");
  says("just text\n", "bad.yml:1: not a map");
  says("a: 1\n---\nb: 2\n", "a second YAML document");
  says("? [a, b]\n: 1\n", "bad.yml:1: a key that is not plain text");
  says("'': 1\n", "bad.yml:1: a key that is not plain text");
  says("<<: x\n", "merge keys");
  says("a: !custom 3\n", "bad.yml:1: a: has a tag");
  says(std::string_view("a: 1\0b", 6), "is not a recipe");
  says("a: \xff\xfe\n", "is not a recipe");
  says(std::string(2 << 20, '#'), "is not a recipe");
  says(",\n", "bad.yml:1: not a map");  // took all memory, once
  says("# a\n32; theirs is fp16.\n# Cost: ---\n,000 x\nbase: a.yml\n", "bad.yml:2: not a map");
  refusal(std::string(100000, '['));  // deep, but no stack is lost
  refusal("a: " + std::string(100000, '{'));
  refusal(std::string(100000, '-') + " a");
}

TEST_F(ConfigFile, TheRecordOfARunIsWholeOrNoneAndItsFaultIsThatOfTheRun) {
  const std::string sound = "given: [lr]\nlr: 1  # command line\nepochs: 3  # default\n";
  const Settings settings = load_record(folder.write("args.yml", sound));
  EXPECT_EQ(settings.at("lr").text, "1");
  EXPECT_FALSE(settings.at("lr").is_default());
  EXPECT_TRUE(settings.at("epochs").is_recorded_default());
  const auto refused = [&](std::string_view text, std::string_view words) {
    const std::string path = folder.write("args.yml", text);
    test::expect_raises(Fault::checkpoint, {path, words}, [&] { load_record(path); });
  };
  for (size_t length = 0; length < sound.size(); ++length) {
    if (length > 0 && sound[length - 1] == '\n') continue;
    refused(sound.substr(0, length), "is cut off");
  }
  refused(",\n", ":1: not a map");
  refused("lr: 1\nlr: 2\n", ":2: lr stands already in line 1");
  refused("base: other\n", ":1: base has no meaning");
  refused(std::string(2 << 20, '#') + "\n", "is not a recipe");
  test::expect_raises(Fault::checkpoint, {"no/args.yml"}, [] { load_record("no/args.yml"); });
}

TEST_F(ConfigFile, EveryCutAndFlippedByteIsReadOrRefused) {
  const std::string good =
      "base: []\nlr: 1e-3 # c\nname: \"a: b\"\nlist: [1, 'x', \"y\"]\nblock: |\n  text\nk: &a "
      "v\nl: *a\n";
  const auto survives = [&](const std::string& text) {
    const std::string path = folder.write("cut.yml", text);
    try {
      load_config(path, {});
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage) << text;
    }
  };
  for (size_t i = 0; i < good.size(); ++i) {
    survives(good.substr(0, i));
    for (const char c : {'\t', '\n', '{', '[', ':', '"', '&', '*', '!', '%', '\x01', '\x80'}) {
      std::string changed = good;
      changed[i] = c;
      survives(changed);
    }
  }
}

TEST_F(ConfigFile, RecipesAreListedSorted) {
  folder.write("b.yml", "");
  folder.write("cifar10/resnet20.yaml", "");
  folder.write("a.yml", "");
  folder.write("readme.md", "");
  folder.write(".hidden/x.yml", "");
  EXPECT_EQ(list_recipes({folder.path(), folder.path() + "/none", folder.path()}),
            (std::vector<std::string>{"a", "b", "cifar10/resnet20"}));
}

}  // namespace
}  // namespace convoy
