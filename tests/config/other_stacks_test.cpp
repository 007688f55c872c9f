#include "config/other_stacks.h"

#include "config/command_line.h"
#include "config/support.h"

namespace convoy {
namespace {

using test::contains;
using test::usage_error;

std::vector<Field> declared(const std::vector<std::string>& keys) {
  Fields field({});
  std::string text;
  for (const std::string& key : keys) field(key, text, "an option");
  return field.all();
}

std::string refusal(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& keys) {
  return usage_error([&] { parse_command_line(arguments, declared(keys)); });
}

TEST(OtherStacks, AForeignOptionSaysWhatItMeansAndWhatToTypeHere) {
  EXPECT_EQ(refusal({"--data", "DIR"}, {"data-dir", "dataset"}),
            "unknown option --data: in other programs it is the folder of the data; try: "
            "--data-dir DIR");
  const std::vector<std::string> keys{"threads", "model",       "init-from", "workers",
                                      "epochs",  "lr-schedule", "replicas"};
  for (const auto& [typed, part] : {std::pair{"--device", "Convoy always computes on the CPU"},
                                    {"--gpus", "--threads N"},
                                    {"--fp16", "it asks for 16-bit storage"},
                                    {"--arch", "--model NAME"},
                                    {"-a", "--model NAME"},
                                    {"--num_workers", "--workers N"},
                                    {"--weights", "--init-from FILE"},
                                    {"--resume", "convoy resume RUN_DIR"},
                                    {"--evaluate", "convoy eval --checkpoint RUN_DIR"},
                                    {"--step-size", "--lr-step-size"},
                                    {"--world-size", "convoy launch -np N"}}) {
    const std::string message = refusal({typed, "1"}, keys);
    EXPECT_TRUE(contains(message, part));
    EXPECT_TRUE(contains(message, "in other programs it "));
    EXPECT_TRUE(contains(message, "; try: "));
  }
  EXPECT_TRUE(
      contains(refusal({"--no-cuda"}, keys), "unknown option --no-cuda: in other programs"));
  EXPECT_TRUE(contains(refusal({"--set", "device=cuda"}, keys), "unknown option --set device: in"));
}

TEST(OtherStacks, AdvisesOnlyWhatTheVerbHas) {
  EXPECT_TRUE(contains(refusal({"--weights", "x"}, {"checkpoint"}), "try: --checkpoint FILE"));
  EXPECT_TRUE(contains(refusal({"--device", "x"}, {"checkpoint"}), "try: without it"));
  const std::string message = refusal({"--arch", "x"}, {"checkpoint"});
  EXPECT_TRUE(contains(message, "is the model; try: without it, or --help"));
}

TEST(OtherStacks, AnOptionOfOursIsNotTakenForAForeignOne) {
  EXPECT_EQ(refusal({"--thread", "1"}, {"threads"}), "unknown option --thread; nearest: --threads");
  EXPECT_EQ(advice_for_other_stacks("", declared({"threads"})), "");
  EXPECT_EQ(advice_for_other_stacks("amp fp16", declared({"threads"})), "");
}

TEST(OtherStacks, AnAliasThatIsASwitchElsewhereSaysSoWithoutItsValue) {
  Fields field({});
  std::string text;
  field("init-from", text, "weights", {}, {"pretrained"});
  const std::string message =
      usage_error([&] { parse_command_line({"--pretrained"}, field.all()); });
  EXPECT_TRUE(contains(message, "option --pretrained needs a value (text), but nothing follows"));
  EXPECT_TRUE(contains(message, "nothing is downloaded; try: --init-from FILE"));
}

TEST(OtherStacks, AKeyOfARecipeIsExplainedLikewise) {
  Fields field({{"num_gpus", {"8", "mine.yml", 3}}});
  std::string text;
  field("threads", text, "threads");
  const std::string message = usage_error([&] { field.finish(); });
  EXPECT_TRUE(contains(message, "unknown key num-gpus (mine.yml:3): in other programs it chooses"));
}

}  // namespace
}  // namespace convoy
