#include "config/fields.h"

#include "config/support.h"
#include "config/value.h"

namespace convoy {
namespace {

using test::contains;
using test::usage_error;

Settings typed(const std::string& key, const std::string& text) {
  return {{key, {text, "command line"}}};
}

// Reads one option of type T from its text.
template <class T>
T read(const std::string& text, const Limits& limits = {}) {
  Fields field(typed("key", text));
  T value{};
  field("key", value, "help", limits);
  field.finish();
  return value;
}

template <class T>
std::string refusal(const std::string& text, const Limits& limits = {}) {
  return usage_error([&] { read<T>(text, limits); });
}

TEST(Fields, KeepTheDefaultOfAKeyThatIsNotGiven) {
  Fields field({});
  int epochs = 6;
  field.section("Training");
  field("epochs", epochs, "passes over the data", at_least(1), {"num_epochs"});
  field.finish();
  EXPECT_EQ(epochs, 6);
  EXPECT_FALSE(field.given("epochs"));
  const Field& only = field.all().at(0);
  EXPECT_EQ(only.section, "Training");
  EXPECT_EQ(only.type, "int");
  EXPECT_EQ(only.default_text, "6");
  EXPECT_EQ(only.aliases.at(0), "num-epochs");
  EXPECT_EQ(only.value.text, "6");
  EXPECT_EQ(only.value.origin, "default");
}

const Setting by_hand{"2", "command line"}, in_recipe{"1", "configs/x.yml", 3};

TEST(Fields, OfTwoWaysToSayOneThingTheTypedOneStands) {
  const auto read_both = [](const Settings& settings) {
    Fields field(settings);
    int lr = 0, base = 0;
    field.displace("lr", {"base-lr"});
    field.displace("base-lr", {"lr"});
    field("lr", lr, "help");
    field("base-lr", base, "help");
    field.finish();
    return std::pair{lr, base};
  };
  EXPECT_EQ(read_both({{"lr", by_hand}, {"base-lr", in_recipe}}), (std::pair{2, 0}));
  EXPECT_EQ(read_both({{"lr", in_recipe}, {"base-lr", by_hand}}), (std::pair{0, 2}));
  // Who says both in one place is not helped.
  EXPECT_EQ(read_both({{"lr", by_hand}, {"base-lr", by_hand}}), (std::pair{2, 2}));
  EXPECT_EQ(read_both({{"lr", in_recipe}, {"base-lr", in_recipe}}), (std::pair{1, 1}));
}

TEST(Fields, ARecipeDoesNotKnowWhatIsTypedBesideIt) {
  const auto is_refused = [](const Settings& settings) {
    Fields field(settings);
    int crop = 0, padding = 0;
    field("crop", crop, "help");
    field("padding", padding, "help");
    const bool refused = field.idle("padding", {"crop"});
    EXPECT_EQ(field.given("padding"), refused);
    EXPECT_EQ(field.dropped().empty(), refused || !settings.contains("padding"));
    return refused;
  };
  EXPECT_TRUE(is_refused({{"padding", in_recipe}}));
  EXPECT_TRUE(is_refused({{"padding", in_recipe}, {"crop", in_recipe}}));
  EXPECT_TRUE(is_refused({{"padding", by_hand}, {"crop", by_hand}}));
  EXPECT_FALSE(is_refused({{"padding", in_recipe}, {"crop", by_hand}}));
  EXPECT_FALSE(is_refused({{"crop", by_hand}}));
}

TEST(Fields, WhatATypedChoiceHasNoUseForMayStandInARecipe) {
  Fields all({});
  int any = 0;
  all("power", any, "help");
  const auto finish = [&](const Settings& settings) {
    Fields field(settings);
    int schedule = 0;
    field("schedule", schedule, "help");
    field.chooses("schedule");
    field.finish(all.all());
  };
  finish({{"power", in_recipe}, {"schedule", by_hand}});
  const Settings own{{"power", in_recipe}, {"schedule", in_recipe}};
  EXPECT_TRUE(contains(usage_error([&] { finish(own); }), "no meaning"));
  const Settings both{{"power", by_hand}, {"schedule", by_hand}};
  EXPECT_TRUE(contains(usage_error([&] { finish(both); }), "no meaning"));
}

TEST(Fields, ReadDashesAndUnderscoresAlike) {
  for (const char* spelling : {"batch-size", "batch_size"}) {
    Fields field(typed(spelling, "64"));
    int batch = 32;
    field("batch_size", batch, "images per step");
    field.finish();
    EXPECT_EQ(batch, 64);
    EXPECT_TRUE(field.given("batch-size"));
    EXPECT_TRUE(field.given("batch_size"));
    EXPECT_EQ(field.all()[0].key, "batch-size");
    EXPECT_EQ(field.all()[0].default_text, "32");
    EXPECT_EQ(field.all()[0].value.text, "64");
    EXPECT_EQ(field.all()[0].value.origin, "command line");
  }
}

TEST(Fields, ReadEveryType) {
  for (const char* yes : {"true", "yes", "on", "1", "True", "YES"}) EXPECT_TRUE(read<bool>(yes));
  for (const char* no : {"false", "no", "off", "0", "False"}) EXPECT_FALSE(read<bool>(no));
  EXPECT_EQ(read<int>("-2147483648"), -2147483648);
  EXPECT_EQ(read<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(read<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(read<float>("1e-3"), 1e-3f);
  EXPECT_EQ(read<float>("0.1"), 0.1f);
  EXPECT_EQ(read<double>("-.5"), -0.5);
  EXPECT_EQ(read<std::string>(" as: is # "), " as: is # ");
  EXPECT_EQ(read<std::vector<double>>("30, 60,80"), (std::vector<double>{30, 60, 80}));
  EXPECT_EQ(read<std::vector<double>>(""), std::vector<double>{});
  EXPECT_EQ(read<std::vector<std::string>>("crop, flip"),
            (std::vector<std::string>{"crop", "flip"}));
}

TEST(Fields, RefuseWhatIsNoSuchValue) {
  EXPECT_EQ(refusal<int>("3.5"), "key \"3.5\" (command line) is not a whole number");
  for (const char* text : {"", " 3", "3 ", "+3", "0x10", "1e6", "three", "3,", "--3"}) {
    EXPECT_TRUE(contains(refusal<int>(text), "is not a whole number")) << text;
  }
  EXPECT_TRUE(contains(refusal<int>("2147483648"), "out of range (-2147483648 to 2147483647)"));
  EXPECT_TRUE(contains(refusal<int64_t>("9223372036854775808"), "out of range"));
  EXPECT_TRUE(contains(refusal<uint64_t>("18446744073709551616"), "out of range"));
  EXPECT_TRUE(contains(refusal<uint64_t>("-1"), "is not a whole number"));
  for (const char* text : {"inf", "-inf", "nan", "infinity"}) {
    EXPECT_TRUE(contains(refusal<float>(text), "is not a finite number")) << text;
  }
  for (const char* text : {"", "0.1f", "1,5", "e3", ".", "1e", " 1", "0x1p3"}) {
    EXPECT_TRUE(contains(refusal<double>(text), "is not a number")) << text;
  }
  EXPECT_TRUE(contains(refusal<float>("1e39"), "out of range"));
  EXPECT_TRUE(contains(refusal<double>("1e309"), "out of range"));
  for (const char* text : {"", "maybe", "2", "t", "true "}) {
    EXPECT_TRUE(contains(refusal<bool>(text), "is neither true nor false; try: true or false"));
  }
  EXPECT_TRUE(contains(refusal<std::vector<double>>("1,,2"), "has an empty element"));
  EXPECT_TRUE(contains(refusal<std::vector<double>>("1,2,"), "has an empty element"));
  EXPECT_TRUE(contains(refusal<std::vector<double>>("1,x"), "element \"x\" that is not a number"));
  for (const char* text : {"\xff", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_TRUE(contains(refusal<std::string>(text), "is not UTF-8")) << text;
  }
  EXPECT_EQ(read<std::string>("größer 😀 €"), "größer 😀 €");
  EXPECT_TRUE(contains(refusal<int>("a\nb\x01"), "\"a\\nb\\x01\""));
}

TEST(Fields, HoldTheLimitsAndSayThem) {
  EXPECT_EQ(read<float>("1", between(0, 1)), 1);
  EXPECT_EQ(refusal<float>("1.5", between(0, 1)),
            "key \"1.5\" (command line) is not between 0 and 1");
  EXPECT_EQ(refusal<int>("-1", at_least(1)), "key \"-1\" (command line) is not at least 1");
  EXPECT_EQ(refusal<int>("x", at_least(1)),
            "key \"x\" (command line) is not a whole number; try: at least 1");
}

TEST(Fields, TheDefaultIsAllowedEvenOutsideTheLimits) {
  Fields field(typed("threads", "0"));
  int threads = 0;
  field("threads", threads, "0 = as many as there are", at_least(1));
  EXPECT_EQ(threads, 0);
  EXPECT_TRUE(field.given("threads"));
}

TEST(Fields, ChoicesNameTheNearest) {
  const Limits limits = one_of({"sgd", "adam", "lars"});
  EXPECT_EQ(read<std::string>("adam", limits), "adam");
  EXPECT_EQ(refusal<std::string>("sdg", limits),
            "key \"sdg\" (command line) is not one of sgd, adam, lars; nearest: sgd");
  EXPECT_EQ(refusal<std::string>("zzzzzzzz", limits),
            "key \"zzzzzzzz\" (command line) is not one of sgd, adam, lars");
  EXPECT_TRUE(contains(refusal<std::vector<std::string>>("sgd,adm", limits), "element \"adm\""));
  EXPECT_TRUE(contains(refusal<std::vector<double>>("1,-1", at_least(0)), "element \"-1\""));
}

enum class Fruit { apple, pear };
constexpr auto words_of(Fruit) { return words<Fruit>("apple", "prickly-pear"); }

TEST(Fields, AnEnumerationIsOneOfTheWordsOfItsTable) {
  EXPECT_EQ(read<Fruit>("prickly-pear"), Fruit::pear);
  EXPECT_EQ(read<Fruit>("apple"), Fruit::apple);
  EXPECT_EQ(refusal<Fruit>("pear"),
            "key \"pear\" (command line) is not one of apple, prickly-pear");
  // What a record holds as a default must be a word too.
  EXPECT_TRUE(contains(usage_error([] {
                         Fields field({{"key", {"plum", "recorded default"}}});
                         Fruit fruit{};
                         field("key", fruit, "help");
                       }),
                       "\"plum\" (recorded default) is not one of apple"));
  Fields field({});
  Fruit fruit = Fruit::pear;
  field("fruit", fruit, "help", any_value().no_result(), {"obst"});
  const Field& only = field.all().at(0);
  EXPECT_EQ(only.type, "text");
  EXPECT_EQ(only.default_text, "prickly-pear");
  EXPECT_EQ(only.aliases.at(0), "obst");
  EXPECT_EQ(only.limits.choices, (std::vector<std::string>{"apple", "prickly-pear"}));
  EXPECT_EQ(only.limits.text, "one of apple, prickly-pear");
  EXPECT_FALSE(only.limits.changes_results);
}

TEST(Fields, AnOptionStandsBehindTheOneItNames) {
  const auto order = [](bool with_place) {
    Fields field({});
    int value = 0;
    if (with_place) field("a", value, "help");
    field("b", value, "help");
    field("c", value, "help", at_least(0).after("a"));
    std::string keys;
    for (const Field& one : field.all()) keys += one.key;
    return keys;
  };
  EXPECT_EQ(order(true), "acb");
  EXPECT_EQ(order(false), "bc");
}

TEST(Fields, AnEvaluationHasNoOptionsOfTraining) {
  Fields field(typed("drop", "3"));
  int drop = 0, width = 0;
  field.evaluation_only(true);
  field("drop", drop, "help", at_least(0).training_only());
  field("width", width, "help");
  EXPECT_EQ(drop, 0);
  EXPECT_EQ(field.all().size(), 1u);
  EXPECT_TRUE(contains(usage_error([&] { field.finish(); }), "unknown key drop"));
  field.evaluation_only(false);
  field("drop", drop, "help", at_least(0).training_only());
  EXPECT_EQ(drop, 3);
}

TEST(Fields, AnAliasCountsAsItsKey) {
  Fields field(typed("learning_rate", "0.5"));
  float lr = 0.1f;
  field("lr", lr, "learning rate", {}, {"learning-rate", "base-lr"});
  field.finish();
  EXPECT_EQ(lr, 0.5f);
  EXPECT_TRUE(field.given("lr"));
  EXPECT_TRUE(field.given("base-lr"));
}

TEST(Fields, KeyAndAliasMustAgree) {
  const auto declare = [](const Settings& settings) {
    Fields field(settings);
    float lr = 0;
    field("lr", lr, "learning rate", {}, {"learning-rate", "base-lr"});
    return lr;
  };
  const Setting a{"0.5", "a.yml", 3}, same{"0.5", "command line"}, other{"0.7", "command line"};
  EXPECT_EQ(declare({{"lr", a}, {"learning-rate", same}}), 0.5f);
  EXPECT_EQ(usage_error([&] {
              declare({{"lr", a}, {"base-lr", other}});
            }),
            "lr \"0.5\" (a.yml:3) and base-lr \"0.7\" (command line) are the same option with "
            "different values; try: only one");
  EXPECT_TRUE(contains(usage_error([&] {
                         declare({{"learning-rate", a}, {"base-lr", other}});
                       }),
                       "same option"));
  EXPECT_TRUE(contains(usage_error([&] {
                         declare({{"base_lr", a}, {"base-lr", other}});
                       }),
                       "same option"));
}

TEST(Fields, AnUnknownKeyNamesTheNearestKeyOrAlias) {
  const auto finish = [](const std::string& key) {
    Fields field(Settings{{key, {"1", "configs/x.yml", 7}}});
    int batch = 0;
    float lr = 0;
    field("batch-size", batch, "images per step");
    field("lr", lr, "learning rate", {}, {"learning-rate"});
    field.finish();
  };
  EXPECT_EQ(usage_error([&] { finish("batchsiz"); }),
            "unknown key batchsiz (configs/x.yml:7); nearest: batch-size");
  EXPECT_TRUE(contains(usage_error([&] { finish("learnin_rate"); }), "nearest: learning-rate"));
  EXPECT_TRUE(contains(usage_error([&] { finish("zzzzzzzzz"); }), "unknown key zzzzzzzzz"));
}

TEST(Fields, AKeyOfTheVerbThatWasNotReadIsNotCalledUnknown) {
  Fields all({});
  float momentum = 0.9f;
  all("momentum", momentum, "share kept");
  Fields field(typed("momentum", "0.5"));
  EXPECT_EQ(
      usage_error([&] { field.finish(all.all()); }),
      "momentum \"0.5\" (command line) has no meaning with the other options; try: without it");

  Fields chosen({});
  for (const char* optimizer : {"sgd", "lars"}) {
    chosen.section_with(std::string("--optimizer ") + optimizer);
    chosen("momentum", momentum, "share kept");
  }
  EXPECT_EQ(usage_error([&] { field.finish(chosen.all()); }),
            "momentum \"0.5\" (command line) has no meaning with the other options; try: without "
            "it, or --optimizer sgd, or --optimizer lars");
}

TEST(Fields, AKeyDeclaredTwiceIsReadByBothAndListedOnce) {
  Fields field(typed("momentum", "0.5"));
  float one = 0.9f, two = 0.8f;
  field("momentum", one, "first");
  field("momentum", two, "second", {}, {"m"});
  EXPECT_EQ(one, 0.5f);
  EXPECT_EQ(two, 0.5f);
  ASSERT_EQ(field.all().size(), 1u);
  EXPECT_EQ(field.all()[0].aliases, std::vector<std::string>{"m"});
  int wrong = 1;
  Fields fresh({});
  fresh("momentum", one, "first");
  EXPECT_THROW(fresh("momentum", wrong, "another type"), Error);
  EXPECT_THROW(fresh("other", one, "alias taken", {}, {"momentum"}), Error);
}

TEST(Fields, ResolvedTextParsesBackExactly) {
  for (const float value : {0.1f, 1e-5f, 3.4e38f, 1.17549435e-38f, 16777217.f, -0.3f}) {
    EXPECT_EQ(read<float>(format_value(value)), value);
  }
  for (const double value : {0.1, 1e-300, 1.0 / 3, 12345678901234567.0}) {
    EXPECT_EQ(read<double>(format_value(value)), value);
  }
  Fields field(typed("nesterov", "yes"));
  bool nesterov = false;
  field("nesterov", nesterov, "look ahead");
  EXPECT_EQ(field.all()[0].value.text, "true");
}

TEST(Fields, TheRecordMayHoldWhatAFileSaidInsteadOfItsName) {
  Fields field(typed("rules", "file.txt"));
  std::vector<std::string> rules;
  field("rules", rules, "rules, or a file of them");
  field.record("rules", {"a b", "c d"});
  EXPECT_EQ(rules, std::vector<std::string>{"file.txt"});
  EXPECT_EQ(field.all()[0].value.text, "a b,c d");
  EXPECT_EQ(field.all()[0].value.origin, "command line");
}

TEST(Fields, ChoicesInAnyCaseAndTheirSynonyms) {
  const auto read = [](const std::string& text) {
    Fields field({{"opt", {text, "command line"}}});
    std::string value = "sgd";
    field("opt", value, "", one_of_any_case({"sgd", "rmsprop", "tf"}, {{"RMSprop", "tf"}}));
    EXPECT_EQ(field.all()[0].value.text, value);
    return value;
  };
  EXPECT_EQ(read("SGD"), "sgd");
  EXPECT_EQ(read("Rmsprop"), "rmsprop");
  EXPECT_EQ(read("RMSprop"), "tf");
  EXPECT_TRUE(contains(usage_error([&] { read("sgdm"); }), "nearest: sgd"));
}

TEST(Fields, WhatARunRecordedAsDefaultHoldsUntilAChoiceIsTyped) {
  const auto momentum = [](const Settings& settings, double default_value) {
    Fields field(settings);
    std::string model = "a";
    double value = default_value;
    field("model", model, "");
    field.chooses("model");
    field("momentum", value, "", between(0, 1));
    field.needs("momentum", false, "anything", {});  // not given: nothing to refuse
    field.finish();
    return value;
  };
  const Setting recorded{"0.1", "recorded default"};
  EXPECT_EQ(momentum({{"momentum", recorded}}, 0.03), 0.1);
  EXPECT_EQ(momentum({{"momentum", recorded}, {"model", {"b", "args.yml"}}}, 0.03), 0.1);
  EXPECT_EQ(momentum({{"momentum", recorded}, {"model", {"b", "command line"}}}, 0.03), 0.03);
  EXPECT_EQ(momentum({{"gone", recorded}}, 0.03), 0.03);
}

}  // namespace
}  // namespace convoy
