#include "app/options.h"

#include "app/command.h"
#include "config/support.h"

namespace convoy {
namespace {

using test::contains;
using test::usage_error;

struct Options {
  std::string config, optimizer = "sgd";
  int epochs = 6, batch = 32;
  float lr = 0.1f;

  void describe(Fields& field) {
    describe_config(field, config);
    field("optimizer", optimizer, "the rule of the update", one_of({"sgd", "adam"}));
    field("epochs", epochs, "passes over the data", at_least(1));
    field("batch-size", batch, "images per step", at_least(1));
    field("lr", lr, "learning rate", {}, {"learning-rate"});
  }
};

class Resolve : public testing::Test {
 protected:
  std::vector<Field> known(const std::string& default_config = "") {
    Fields field({});
    Options options{.config = default_config};
    options.describe(field);
    return field.all();
  }
  Settings resolved(const std::vector<std::string>& arguments, const std::string& config = "") {
    const std::vector<Field> fields = known(config);
    return resolve(parse_command_line(arguments, fields), fields, {folder.path()});
  }

  test::ScratchFolder folder;
};

TEST_F(Resolve, DefaultThenBaseThenFileThenFlags) {
  folder.write("base.yml", "learning_rate: 1\nepochs: 1\nbatch_size: 1\n");
  folder.write("file.yml", "base: base\nlr: 2\nepochs: 2\n");
  Fields field(resolved({"--config", "file", "--learning_rate", "3"}));
  Options options;
  options.describe(field);
  field.finish();
  EXPECT_EQ(options.optimizer, "sgd");
  EXPECT_EQ(options.batch, 1);
  EXPECT_EQ(options.epochs, 2);
  EXPECT_EQ(options.lr, 3);
  EXPECT_EQ(options.config, "file");
  const auto origin = [&](const std::string& key) {
    return find_field(field.all(), key)->value.origin;
  };
  EXPECT_EQ(origin("optimizer"), "default");
  EXPECT_EQ(origin("batch-size"), folder.path() + "/base.yml");
  EXPECT_EQ(origin("epochs"), folder.path() + "/file.yml");
  EXPECT_EQ(origin("lr"), "command line");
  EXPECT_EQ(origin("config"), "command line");
}

TEST_F(Resolve, TheDefaultRecipeIsThatOfTheField) {
  folder.write("demo.yml", "epochs: 9\n");
  EXPECT_EQ(resolved({}, "demo").at("epochs").text, "9");
  EXPECT_TRUE(resolved({"--config="}, "demo").count("epochs") == 0);
  EXPECT_TRUE(resolved({}).empty());
}

TEST_F(Resolve, ErrorsNameFileAndLine) {
  folder.write("bad.yml", "lr: 1\nepochs: many\n");
  Fields field(resolved({"--config", "bad"}));
  Options options;
  EXPECT_EQ(
      usage_error([&] { options.describe(field); }),
      "epochs \"many\" (" + folder.path() + "/bad.yml:2) is not a whole number; try: at least 1");
  folder.write("unknown.yml", "epocs: 3\n");
  Fields other(resolved({"--config", "unknown"}));
  options.describe(other);
  EXPECT_EQ(usage_error([&] { other.finish(); }),
            "unknown key epocs (" + folder.path() + "/unknown.yml:1); nearest: epochs");
}

TEST_F(Resolve, ConfigInARecipeIsRefusedButArgsYmlMayHaveIt) {
  folder.write("a.yml", "config: b\n");
  EXPECT_TRUE(contains(usage_error([&] { resolved({"--config", "a"}); }), "try: base: b"));
  const std::string args = folder.write("run/args.yml", "config: gone\nepochs: 4\n");
  const Settings settings = resolved({"--config", args});
  EXPECT_EQ(settings.at("epochs").text, "4");
  EXPECT_EQ(settings.at("config").text, args);
}

// The record of a run holds every option, also those that mean nothing in it.
TEST_F(Resolve, WhatArgsYmlRecordsHoldsAndOnlyWhatWasGivenCountsAsGiven) {
  const std::string args = folder.write("run/args.yml", "given: [epochs]\nepochs: 6\nlr: 0.7\n");
  Fields field(resolved({"--config", args}));
  Options options;
  options.describe(field);
  field.finish();
  EXPECT_EQ(options.epochs, 6);
  EXPECT_TRUE(field.given("epochs"));
  EXPECT_FLOAT_EQ(options.lr, 0.7f);
  EXPECT_FALSE(field.given("lr"));
  EXPECT_EQ(find_field(field.all(), "lr")->value.text, "0.7");
}

TEST(NeedWords, RefusesTooManyAndTooFew) {
  need_words({.settings = {}, .words = {"runs/x"}}, {"RUN_DIR"});
  EXPECT_TRUE(contains(usage_error([] { need_words({}, {"RUN_DIR"}); }), "missing RUN_DIR"));
  EXPECT_TRUE(contains(usage_error([] { need_words({.settings = {}, .words = {"a"}}, {}); }),
                       "unexpected word \"a\""));
  const test::ScratchFolder scratch;
  const std::string run = scratch.path() + "/run", data = scratch.path() + "/flowers";
  std::filesystem::create_directories(run);
  std::filesystem::create_directories(data);
  scratch.write("run/args.yml", "");
  const auto refusal = [&](const std::string& word, const std::vector<std::string>& keys,
                           const Settings& typed = {}) {
    Fields field({});
    std::string text;
    for (const std::string& key : keys) field(key, text, "an option");
    const std::vector<Field> all = field.all();
    return usage_error([&] { need_words({.settings = typed, .words = {word}}, {}, all); });
  };
  const std::vector<std::string> predicts{"checkpoint", "input", "data-dir", "model"};
  EXPECT_TRUE(contains(refusal(run, predicts), "; try: --checkpoint " + run));
  EXPECT_TRUE(contains(refusal(run, {"init-from", "config"}), "; try: --init-from " + run));
  EXPECT_TRUE(contains(refusal("best.safetensors", predicts), "; try: --checkpoint best"));
  EXPECT_TRUE(contains(refusal("runs/gone", predicts), "; try: --checkpoint runs/gone"));
  EXPECT_TRUE(contains(refusal("photo.jpg", predicts), "; try: --input photo.jpg"));
  EXPECT_TRUE(contains(refusal(data, {"data-dir", "config"}), "; try: --data-dir " + data));
  EXPECT_TRUE(contains(refusal("mine.yml", {"config"}), "; try: --config mine.yml"));
  EXPECT_TRUE(contains(refusal("resnet50", {"model"}), "; try: --model resnet50"));
  EXPECT_TRUE(contains(refusal(run, {"threads"}), "; try: without it"));
  const Settings typed{{"checkpoint", {"x", "command line"}}};
  EXPECT_TRUE(contains(refusal(data, predicts, typed), "; try: --data-dir " + data));
}

TEST(RecipeFolders, AreFoldersThatExist) {
  for (const std::string& folder : recipe_folders()) {
    EXPECT_TRUE(std::filesystem::is_directory(folder)) << folder;
  }
}

}  // namespace
}  // namespace convoy
