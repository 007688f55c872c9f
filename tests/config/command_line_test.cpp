#include "config/command_line.h"

#include "config/support.h"

namespace convoy {
namespace {

using test::contains;
using test::usage_error;
using Words = std::vector<std::string>;

const std::vector<Field>& declared() {
  static const std::vector<Field> all = [] {
    Fields field({});
    bool nesterov = false, no_cache = false;
    int threads = 0;
    float lr = 0;
    std::string name;
    field("nesterov", nesterov, "look ahead");
    field("no-cache", no_cache, "a key that begins with no-");
    field("threads", threads, "worker threads", {}, {"j"});
    field("lr", lr, "learning rate", {}, {"learning-rate"});
    field("run-name", name, "name of the run", {}, {"v-name"});
    bool verbose = false;
    field("verbose", verbose, "say more", {}, {"v", "vv"});
    int count = 0;
    std::string env;
    field("instances", count, "processes", {}, {"np", "n"});
    field("env", env, "variables", repeated(), {"e"});
    return field.all();
  }();
  return all;
}

CommandLine parse(const Words& arguments) { return parse_command_line(arguments, declared()); }

std::string value(const Words& arguments, const std::string& key) {
  const CommandLine line = parse(arguments);
  const auto found = line.settings.find(key);
  return found == line.settings.end() ? "(not set)" : found->second.text;
}

std::string refusal(const Words& arguments) {
  return usage_error([&] { parse(arguments); });
}

TEST(CommandLine, OptionsWithValues) {
  EXPECT_EQ(value({"--lr", "0.1"}, "lr"), "0.1");
  EXPECT_EQ(value({"--lr=0.1"}, "lr"), "0.1");
  EXPECT_EQ(value({"--run_name", "a b"}, "run-name"), "a b");
  EXPECT_EQ(value({"--run-name=a=b_c"}, "run-name"), "a=b_c");
  EXPECT_EQ(value({"--run-name="}, "run-name"), "");
  EXPECT_EQ(value({"--run-name", ""}, "run-name"), "");
  EXPECT_EQ(value({"--lr", "-0.5"}, "lr"), "-0.5");
  EXPECT_EQ(value({"--run-name", "-"}, "run-name"), "-");
  EXPECT_EQ(value({"--run-name=--x"}, "run-name"), "--x");
  EXPECT_EQ(parse({"--lr", "1"}).settings.at("lr").origin, "command line");
}

TEST(CommandLine, AnAliasIsFiledUnderItsKey) {
  EXPECT_EQ(value({"--learning_rate", "0.1"}, "lr"), "0.1");
  EXPECT_EQ(value({"-j", "4"}, "threads"), "4");
  EXPECT_EQ(value({"-j4"}, "threads"), "4");
  EXPECT_EQ(value({"-j=4"}, "threads"), "4");
  EXPECT_EQ(value({"-v"}, "verbose"), "true");
}

TEST(CommandLine, BooleansNeedNoValue) {
  EXPECT_EQ(value({"--nesterov"}, "nesterov"), "true");
  EXPECT_EQ(value({"--nesterov", "--lr", "1"}, "nesterov"), "true");
  EXPECT_EQ(value({"--nesterov=off"}, "nesterov"), "false");
  EXPECT_EQ(value({"--nesterov", "False"}, "nesterov"), "false");
  EXPECT_EQ(value({"--no-nesterov"}, "nesterov"), "false");
  EXPECT_EQ(value({"--no_nesterov"}, "nesterov"), "false");
  EXPECT_EQ(value({"--nesterov=maybe"}, "nesterov"), "maybe");  // for Fields to refuse
  const CommandLine line = parse({"--nesterov", "run"});
  EXPECT_EQ(line.words, Words{"run"});
}

TEST(CommandLine, ADeclaredKeyThatBeginsWithNoWins) {
  EXPECT_EQ(value({"--no-cache"}, "no-cache"), "true");
  EXPECT_EQ(value({"--no-no-cache"}, "no-cache"), "false");
}

TEST(CommandLine, NoIsForBooleansAndTakesNoValue) {
  EXPECT_TRUE(contains(refusal({"--no-lr"}), "lr is not a yes-or-no option"));
  EXPECT_TRUE(contains(refusal({"--no-nesterov=1"}), "takes no value"));
  EXPECT_EQ(refusal({"--no-nestrov"}), "unknown option --no-nestrov; nearest: --no-nesterov");
}

TEST(CommandLine, SetTakesAnyKey) {
  EXPECT_EQ(value({"--set", "lr=0.1"}, "lr"), "0.1");
  EXPECT_EQ(value({"--set=run_name=a=b"}, "run-name"), "a=b");
  EXPECT_EQ(value({"--set", "nesterov=yes", "--set", "lr=1"}, "nesterov"), "true");
  EXPECT_EQ(value({"--set", "learning-rate=2"}, "lr"), "2");
  EXPECT_TRUE(contains(refusal({"--set", "lr"}), "needs KEY=VALUE"));
  EXPECT_TRUE(contains(refusal({"--set", "=1"}), "needs KEY=VALUE"));
  EXPECT_TRUE(contains(refusal({"--set"}), "needs a value"));
  EXPECT_EQ(refusal({"--set", "thread=1"}), "unknown option --set thread; nearest: --set threads");
}

TEST(CommandLine, WordsAndTheEndOfOptions) {
  const CommandLine line = parse({"run", "--lr", "1", "", "-", "--", "--lr", "-x", "--"});
  EXPECT_EQ(line.words, (Words{"run", "", "-", "--lr", "-x", "--"}));
  EXPECT_EQ(line.settings.size(), 1u);
}

TEST(CommandLine, UnknownOptionsNameTheNearest) {
  EXPECT_EQ(refusal({"--thread", "3"}), "unknown option --thread; nearest: --threads");
  EXPECT_EQ(refusal({"--learnin_rate=3"}),
            "unknown option --learnin-rate; nearest: --learning-rate");
  EXPECT_TRUE(contains(refusal({"--qqqqqqqqqqqq"}), "unknown option --qqqqqqqqqqqq; try: --help"));
  EXPECT_TRUE(contains(refusal({"-lr", "1"}), "unknown option -lr; nearest: --lr"));
  EXPECT_TRUE(contains(refusal({"-x"}), "unknown option -x"));
  EXPECT_TRUE(contains(refusal({"--=3"}), "unknown option --"));
  EXPECT_TRUE(contains(refusal({"--a\nb"}), "unknown option --a\\nb"));
}

TEST(CommandLine, AMissingValueIsSaid) {
  EXPECT_EQ(refusal({"--lr"}),
            "option --lr needs a value (number), but nothing follows; try: --lr=VALUE");
  EXPECT_TRUE(contains(refusal({"--lr", "--nesterov"}), "but --nesterov follows"));
  EXPECT_TRUE(contains(refusal({"--lr", "--"}), "but -- follows"));
  EXPECT_TRUE(contains(refusal({"--lr", "-j4"}), "but -j4 follows"));
  EXPECT_TRUE(contains(refusal({"-j"}), "option -j needs a value"));
  EXPECT_TRUE(contains(refusal({"-vx"}), "-v takes no value"));
}

TEST(CommandLine, OfAnOptionGivenTwiceTheLastCounts) {
  EXPECT_EQ(value({"--lr", "1", "--lr", "2"}, "lr"), "2");
  EXPECT_EQ(parse({"--lr", "1", "--lr", "2"}).overruled, Words{"--lr 1"});
  EXPECT_EQ(value({"--lr", "1", "--learning-rate", "2", "-j4"}, "lr"), "2");
  EXPECT_EQ(parse({"--learning-rate", "1", "--set", "lr=2", "-j4", "--lr=3", "-j5"}).overruled,
            (Words{"--learning-rate 1", "--set lr 2", "-j 4"}));
  EXPECT_EQ(value({"--nesterov", "--nesterov=no"}, "nesterov"), "false");
  EXPECT_EQ(parse({"--nesterov", "--nesterov=no"}).overruled, Words{"--nesterov true"});
  EXPECT_EQ(parse({"--run-name", "a\nb", "--run-name", "c"}).overruled, Words{"--run-name a\\nb"});
  EXPECT_EQ(parse({"--lr", "1", "--lr=1", "-e", "A", "-e", "B"}).overruled, Words{});
}

TEST(CommandLine, AnOptionAndItsOppositeAreRefused) {
  EXPECT_EQ(refusal({"--nesterov", "--no-nesterov"}),
            "--nesterov and --no-nesterov contradict each other; try: only one of them");
  EXPECT_TRUE(contains(refusal({"--no-nesterov", "--nesterov=yes"}), "contradict"));
  EXPECT_EQ(value({"--no-nesterov", "--nesterov=no"}, "nesterov"), "false");
  EXPECT_EQ(value({"--lr", "1", "--lr=1"}, "lr"), "1");
  EXPECT_EQ(value({"--nesterov", "--nesterov=yes"}, "nesterov"), "true");
}

TEST(CommandLine, HelpIsAskedForBeforeTheEndOfOptions) {
  EXPECT_EQ(asked_help({"--lr", "1", "--help"}), "");
  EXPECT_EQ(asked_help({"-h"}), "");
  EXPECT_EQ(asked_help({"--help", "data"}), "data");
  EXPECT_EQ(asked_help({"-h", "learning", "rate", "--lr", "1"}), "learning rate");
  EXPECT_EQ(asked_help({"--help=all", "data"}), "all");
  EXPECT_EQ(asked_help({"--", "--help"}), std::nullopt);
  EXPECT_EQ(asked_help({"help"}), std::nullopt);
}

TEST(CommandLine, AnAliasOfSeveralLettersMayHaveOneDash) {
  EXPECT_EQ(value({"-np", "4"}, "instances"), "4");
  EXPECT_EQ(value({"-np=4"}, "instances"), "4");
  EXPECT_EQ(value({"-n4"}, "instances"), "4");
  EXPECT_EQ(value({"-vv"}, "verbose"), "true");
  EXPECT_TRUE(contains(refusal({"-np"}), "option --np needs a value"));
  EXPECT_TRUE(contains(refusal({"--lr", "-np"}), "but -np follows"));
  EXPECT_TRUE(contains(refusal({"-instances", "4"}), "unknown option -instances"));
}

TEST(CommandLine, SomeOptionsAddUp) {
  EXPECT_EQ(value({"-e", "A=1,2", "--env", "B", "-eC"}, "env"), "A=1,2\nB\nC");
  EXPECT_EQ(value({"-e", "A", "-e", "A"}, "env"), "A\nA");
}

TEST(CommandLine, WordsMayEndTheOptions) {
  const CommandLine line =
      parse_command_line({"-np", "2", "train", "--lr", "-x", "--"}, declared(), true);
  EXPECT_EQ(line.settings.size(), 1u);
  EXPECT_EQ(line.words, (Words{"train", "--lr", "-x", "--"}));
  EXPECT_EQ(parse_command_line({"--", "train", "--lr"}, declared(), true).words,
            (Words{"train", "--lr"}));
  EXPECT_EQ(parse_command_line({"-", "-v"}, declared(), true).words, (Words{"-", "-v"}));
}

}  // namespace
}  // namespace convoy
