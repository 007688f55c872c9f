#include "train/kernel_choices.h"

#include <gtest/gtest.h>

#include "config/config_file.h"
#include "models/model.h"
#include "ops/conv/algorithm_rules.h"
#include "support/network.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"
#include "train/taken_algorithms.h"
#include "train/tasks/classification.h"

namespace convoy {
namespace {

using test::expect_raises;
using test::TempFolder;
using test::write_bytes;

Choices read(Fields& field) {
  Choices choices;
  describe_choices(field, choices);
  field.finish();
  return choices;
}

Choices typed(const std::string& algorithms) {
  Fields field(Settings{{"algorithms", {algorithms, "command line"}}});
  return read(field);
}

TEST(KernelChoices, TheLinesOfTheFileAreRecordedInsteadOfItsName) {
  const TempFolder folder;
  const std::string file = folder / "tuned.txt";
  write_bytes(file, "# mine\nforward 64@56x56->64/3x3/s1/p1 winograd:f2\n* *@7x7->* direct\n");
  Fields field(Settings{{"algorithms", {file, "command line"}}});
  const Choices choices = read(field);
  EXPECT_EQ(rule_texts(choices),
            (std::vector<std::string>{"forward 64@56x56->64/3x3/s1/p1 winograd:f2",
                                      "* *@7x7->* direct"}));
  EXPECT_EQ(choices.rules[1].where, file + ":3");

  // As `resume` reads it, when the file is long gone.
  write_bytes(folder / "args.yml", write_args(field.all()));
  fs::remove(file);
  Fields again(load_config((folder / "args.yml").string(), {}));
  const Choices resumed = read(again);
  EXPECT_EQ(rule_texts(resumed), rule_texts(choices));
  EXPECT_EQ(write_args(again.all()).find("tuned.txt"), std::string::npos);
}

TEST(KernelChoices, RulesMayStandInTheOptionItself) {
  EXPECT_EQ(rule_texts(typed("forward * direct, grad_* * winograd:f4")),
            (std::vector<std::string>{"forward * direct", "grad_* * winograd:f4"}));
  EXPECT_TRUE(typed("").rules.empty());
  expect_raises(Fault::usage, {"algorithms (command line)", "no algorithm \"fast\""},
                [] { typed("forward * fast"); });
  expect_raises(Fault::usage, {"nowhere.txt"}, [] { typed("nowhere.txt"); });
}

class TakenAlgorithms : public testing::Test {
 protected:
  NetworkPlans plans(const Choices& choices, bool train = true) {
    NetworkSpec spec;
    spec.image = {3, 32, 32};
    spec.eval_batch = 2;
    spec.choices = choices;
    spec.optimizer = train ? optimizer.get() : nullptr;
    spec.step.micro_batch = 4;
    return NetworkPlans(task, spec);
  }
  static Choices ruled(const std::vector<std::string>& rules) {
    Choices choices;
    for (const std::string& rule : rules) choices.rules.push_back(ops::parse_rule(rule, "here"));
    return choices;
  }

  Classification task{find_model("cifar_resnet8").variant, 10, {}};
  std::unique_ptr<Optimizer> optimizer = test::default_optimizer("sgd");
};

TEST_F(TakenAlgorithms, NameEveryPassOnce) {
  const std::vector<TakenAlgorithm> taken =
      taken_algorithms(plans(ruled({"forward 16@32x32->16/3x3/s1/p1 winograd:f2"})));
  int found = 0;
  for (const TakenAlgorithm& one : taken) {
    EXPECT_FALSE(one.pass == "grad_input" && one.convolution.starts_with("3@"));
    if (one.convolution == "3@32x32->16/3x3/s1/p1") {
      EXPECT_EQ(one.algorithm, "direct");
      EXPECT_FALSE(one.has_choice);
    }
    if (one.convolution != "16@32x32->16/3x3/s1/p1" || one.pass != "forward") continue;
    ++found;
    EXPECT_EQ(one.algorithm, "winograd:f2");
    EXPECT_EQ(one.decided_by, "here");
    EXPECT_TRUE(one.has_choice);
    EXPECT_EQ(one.nodes, 2);
  }
  EXPECT_EQ(found, 1);
}

TEST_F(TakenAlgorithms, GivenAsRulesChangeNothing) {
  const NetworkPlans first = plans({});
  const std::vector<std::string> rules = decided_rules(taken_algorithms(first));
  EXPECT_EQ(rules.size(), 3u * 3u) << "three passes of three convolutions of stride 1";
  const Choices fixed = ruled(rules);
  EXPECT_EQ(decided_rules(taken_algorithms(plans(fixed))), rules);
  EXPECT_TRUE(idle_rules(first, fixed).empty());
}

TEST_F(TakenAlgorithms, ARuleThatDecidesNothingIsTold) {
  const Choices choices = ruled(
      {"forward 16@32x32->16/3x3/s1/p1 direct", "forward 64@56x56->64/3x3/s1/p1 direct",
       "forward 16@32x32->16/3x3/s1/p1 winograd:f2", "grad_weights 99@9x9->99/3x3/s1/p1 direct"});
  const std::vector<std::string> lines = idle_rules(plans(choices), choices);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("here: `forward 64@56x56->64/3x3/s1/p1 direct`"), std::string::npos);
  EXPECT_NE(lines[1].find("winograd:f2"), std::string::npos) << "an earlier line decides";
  // Evaluation alone has no gradients: rules about them are no mistake there.
  EXPECT_EQ(idle_rules(plans(choices, false), choices).size(), 2u);
}

}  // namespace
}  // namespace convoy
