#include <cmath>

#include "config/config_file.h"
#include "config/support.h"

namespace convoy {
namespace {

// One option of each type, as a verb declares them.
struct Options {
  bool nesterov = false;
  int epochs = 6, threads = 0;
  int64_t steps = -1;
  uint64_t seed = 1;
  float lr = 0.1f;
  double decay = 1e-4;
  std::string name;
  std::vector<double> milestones;
  std::vector<std::string> augment{"crop", "flip"};

  void describe(Fields& field) {
    field.section("Training");
    field("nesterov", nesterov, "look ahead");
    field("epochs", epochs, "passes", at_least(1));
    field("threads", threads, "0 = all", at_least(1));
    field("steps", steps, "stop there");
    field("seed", seed, "seed");
    field("lr", lr, "learning rate");
    field("decay", decay, "weight decay");
    field.section("Data");
    field("name", name, "name", {}, {"run-name"});
    field("milestones", milestones, "epochs at which the rate falls");
    field("augment", augment, "what is done to images");
  }
  bool operator==(const Options&) const = default;
};

Options through_args(const Options& written, std::string* text = nullptr) {
  Options copy = written;
  Fields out({});
  copy.describe(out);
  const test::ScratchFolder folder;
  const std::string args = write_args(out.all());
  if (text) *text = args;
  Fields in(load_config(folder.write("args.yml", args), {}));
  Options read;
  read.describe(in);
  in.finish();
  return read;
}

TEST(WriteArgs, ShowsSectionsValuesAndOrigins) {
  Fields field({{"epochs", {"3", "command line"}}, {"run-name", {"a b", "configs/x.yml", 2}}});
  Options options;
  options.describe(field);
  EXPECT_EQ(write_args(field.all()),
            "# The options of this run, each with where it came from. All hold in `convoy resume` "
            "and in\n"
            "# `convoy train --config` of this file, those not listed here as defaults of this "
            "run.\n"
            "given: [epochs, name]\n"
            "\n"
            "# Training\n"
            "nesterov: false  # default\n"
            "epochs: 3  # command line\n"
            "threads: 0  # default\n"
            "steps: -1  # default\n"
            "seed: 1  # default\n"
            "lr: 0.1  # default\n"
            "decay: 0.0001  # default\n"
            "\n"
            "# Data\n"
            "name: \"a b\"  # configs/x.yml\n"
            "milestones: []  # default\n"
            "augment: [crop, flip]  # default\n");
}

TEST(WriteArgs, IsReadBackToTheSameValues) {
  Options options;
  EXPECT_EQ(through_args(options), options);
  options = {.nesterov = true,
             .epochs = 90,
             .threads = 2,
             .steps = INT64_MIN,
             .seed = UINT64_MAX,
             .lr = std::nextafter(0.1f, 1.f),
             .decay = 1.0 / 3,
             .name = "runs/first",
             .milestones = {30, 60.5, 1e-7},
             .augment = {}};
  EXPECT_EQ(through_args(options), options);
}

TEST(WriteArgs, QuotesWhatYamlWouldMisread) {
  std::string every_byte;
  for (int c = 1; c < 128; ++c) every_byte += static_cast<char>(c);
  for (const std::string& name : std::vector<std::string>{"",
                                                          " ",
                                                          "a: b",
                                                          "a:",
                                                          ":",
                                                          "# x",
                                                          "a #b",
                                                          "-",
                                                          "- a",
                                                          "--lr",
                                                          "-1",
                                                          "yes",
                                                          "No",
                                                          "null",
                                                          "~",
                                                          "true",
                                                          "123",
                                                          "1e3",
                                                          "0x1f",
                                                          "[a]",
                                                          "{a: b}",
                                                          "a, b",
                                                          "*a",
                                                          "&a",
                                                          "!tag",
                                                          "%d",
                                                          "@x",
                                                          "`x`",
                                                          "|",
                                                          ">",
                                                          "?",
                                                          "'",
                                                          "\"",
                                                          "\\",
                                                          "\\n",
                                                          "a'b\"c",
                                                          "line\nline\n",
                                                          "\ttab\t",
                                                          " lead",
                                                          "trail ",
                                                          "größer 😀",
                                                          "\xc2\x85",
                                                          "\xe2\x80\xa8",
                                                          "\xef\xbb\xbf"
                                                          "bom",
                                                          "...",
                                                          "---",
                                                          "<<",
                                                          "2024-01-01",
                                                          "1:30",
                                                          every_byte}) {
    Options options;
    options.name = name;
    std::string text;
    EXPECT_EQ(through_args(options, &text).name, name) << text;
  }
}

TEST(WriteArgs, QuotesElementsOfLists) {
  Options options;
  options.augment = {"a: b", "# c", "-", "yes", "[x]", "plain", "it's", "\"q\""};
  EXPECT_EQ(through_args(options), options);
}

TEST(WriteArgs, AnOriginCannotBreakTheLine) {
  Fields field({{"epochs", {"3", "evil\nepochs: 4"}}});
  Options options;
  options.describe(field);
  const test::ScratchFolder folder;
  const Settings settings = load_config(folder.write("args.yml", write_args(field.all())), {});
  EXPECT_EQ(settings.at("epochs").text, "3");
}

}  // namespace
}  // namespace convoy
