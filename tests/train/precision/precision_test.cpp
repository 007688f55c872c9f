// The options of precision: what they say together, and what is refused.

#include "train/precision/precision.h"

#include <gtest/gtest.h>

#include "config/value.h"
#include "ops/family.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"
#include "train/precision/tensorflow_ops.h"

namespace convoy {
namespace {

using test::expect_raises;

constexpr const char *typed = "command line", *recipe = "recipe.yml";

struct Given {
  std::string key, text;
  const char* origin = typed;
};

Precision read(const std::vector<Given>& given, std::string* recorded = nullptr) {
  Settings settings;
  for (const Given& one : given) settings[one.key] = {one.text, one.origin};
  Fields field(settings);
  Precision precision;
  precision.describe(field);
  field.finish();
  if (recorded) *recorded = find_field(field.all(), "bf16-lists")->value.text;
  return precision;
}

TEST(Precision, SeveralSpellingsOfOneThing) {
  EXPECT_EQ(read({}).name(), "fp32");
  EXPECT_FALSE(read({}).storage().bf16);
  for (const std::vector<Given>& given :
       std::vector<std::vector<Given>>{{{"precision", "16.32"}},
                                       {{"dtype", "bf16"}},
                                       {{"amp", "true"}},
                                       {{"dtype", "bf16"}, {"precision", "16.32"}, {"amp", "true"}},
                                       {{"dtype", "fp32", recipe}, {"precision", "16.32"}},
                                       {{"precision", "32.32", recipe}, {"amp", "true"}}}) {
    const Precision precision = read(given);
    EXPECT_EQ(precision.name(), "bf16");
    EXPECT_EQ(precision.kind, PrecisionKind::mixed);
    EXPECT_TRUE(precision.storage().bf16);
    EXPECT_EQ(precision.told().front(),
              (std::pair<std::string, std::string>{"precision", "16.32"}));
  }
  for (const std::vector<Given>& given :
       std::vector<std::vector<Given>>{{{"precision", "32.32"}},
                                       {{"dtype", "fp32"}},
                                       {{"amp", "false"}},
                                       {{"precision", "16.32", recipe}, {"dtype", "fp32"}},
                                       {{"dtype", "bf16", recipe}, {"precision", "32.32"}}}) {
    EXPECT_EQ(read(given).name(), "fp32");
    EXPECT_TRUE(read(given).told().empty());
  }
}

TEST(Precision, TheTypeAndTheBitsOfTheWeightsAreIndependent) {
  const Precision half = read({{"precision", "16.16"}});
  EXPECT_EQ(half.name(), "bf16");
  EXPECT_EQ(half.kept().type, DType::bf16);
  EXPECT_TRUE(half.kept().stochastic);
  EXPECT_FALSE(read({{"precision", "16.32"}}).kept().rounds());
  // A recipe's type stays with another typed precision of 16 bits, its weights with another type.
  for (const std::vector<Given>& given :
       std::vector<std::vector<Given>>{{{"precision", "16.16"}, {"dtype", "fp16"}},
                                       {{"precision", "16.16"}, {"dtype", "fp16", recipe}},
                                       {{"precision", "16.16", recipe}, {"dtype", "fp16"}}}) {
    const Precision precision = read(given);
    EXPECT_EQ(precision.kind, PrecisionKind::half);
    EXPECT_EQ(precision.storage().narrow, DType::f16);
    EXPECT_EQ(precision.kept().type, DType::f16);
    EXPECT_EQ(precision.told(), (std::vector<std::pair<std::string, std::string>>{
                                    {"precision", "16.16"}, {"dtype", "fp16"}}));
  }
  EXPECT_EQ(read({{"dtype", "fp16"}}).kind, PrecisionKind::mixed);
  EXPECT_EQ(
      read({{"precision", "16.16", recipe}, {"dtype", "fp16", recipe}, {"dtype", "fp32"}}).kind,
      PrecisionKind::full);
  EXPECT_FALSE(read({{"precision", "16.16"}, {"stochastic-rounding", "false"}}).kept().stochastic);
}

TEST(Precision, WhatContradictsOrDoesNotExistIsRefused) {
  expect_raises(Fault::usage, {"stochastic-rounding", "--precision 16.16"}, [] {
    read({{"precision", "16.32"}, {"stochastic-rounding", "false"}});
  });
  expect_raises(Fault::usage, {"--dtype fp32 and --precision 16.32 contradict"}, [] {
    read({{"dtype", "fp32"}, {"precision", "16.32"}});
  });
  expect_raises(Fault::usage, {"--amp and --precision 32.32 contradict"}, [] {
    read({{"amp", "true"}, {"precision", "32.32"}});
  });
  expect_raises(Fault::usage, {"--no-amp and --dtype bf16 contradict"}, [] {
    read({{"amp", "false"}, {"dtype", "bf16"}});
  });
  expect_raises(Fault::usage, {"bf16-lists", "--precision 16.32"}, [] {
    read({{"bf16-lists", "basic"}});
  });
  expect_raises(Fault::usage, {"8.32"}, [] { read({{"precision", "8.32"}}); });
}

Narrowing storage_of(const StorageRules& rules, const OpDef& op, const std::string& name) {
  return rules.of(Node{.id = 0, .op = &op, .in = {}, .out = {}, .attributes = {}, .name = name});
}

TEST(StorageLists, RulesChangeOpsAndNodesOfThem) {
  const OpDef convolution{.name = "convolution", .narrowing = Narrowing::always};
  const OpDef relu{.name = "relu", .narrowing = Narrowing::follows};
  const auto rules = [](const std::string& lists) {
    return read({{"precision", "16.32"}, {"bf16-lists", lists}}).storage();
  };
  EXPECT_EQ(storage_of(rules("full"), relu, "relu"), Narrowing::follows);
  EXPECT_EQ(storage_of(rules("basic"), relu, "relu"), Narrowing::never);
  EXPECT_EQ(storage_of(rules("basic"), convolution, "x"), Narrowing::always);
  EXPECT_EQ(storage_of(rules("none"), convolution, "x"), Narrowing::never);
  const StorageRules some = rules("never convolution layer[12],any relu,all relu layer2");
  EXPECT_EQ(storage_of(some, convolution, "layer1.0.convolution"), Narrowing::never);
  EXPECT_EQ(storage_of(some, convolution, "layer3.0.convolution"), Narrowing::always);
  EXPECT_EQ(storage_of(some, relu, "layer1.relu"), Narrowing::any);
  EXPECT_EQ(storage_of(some, relu, "layer2.relu"), Narrowing::all);
}

TEST(StorageLists, AFileIsRecordedAsItsRules) {
  const test::TempFolder folder;
  const std::string file = folder / "lists.json";
  test::write_bytes(file, R"({"convertible_exceptions": [["batch_norm", "layer4"]],
    "allowlist": ["convolution"], "conditional_list": ["relu"],
    "strict_conditional_list": ["add"], "non_convertible_exceptions": [["convolution", "^fc"]]})");
  std::string recorded;
  const Precision precision = read({{"precision", "16.32"}, {"bf16-lists", file}}, &recorded);
  EXPECT_EQ(recorded,
            "none,always convolution,any relu,all add,never convolution ^fc,always batch_norm "
            "layer4");
  EXPECT_EQ(read({{"precision", "16.32"}, {"bf16-lists", recorded}}).lists, precision.lists);
}

TEST(StorageLists, TensorFlowsNamesAndPairsAreTaken) {
  const test::TempFolder folder;
  const std::string file = folder / "lists.json";
  test::write_bytes(file, R"({
    "allowlist": ["Conv2D", "MatMul", "BatchMatMul", "_ScopedAllocator"],
    "conditional_list": ["AddV2", "Relu", "MaxPool"], "strict_conditional_list": [],
    "non_convertible_exceptions": [["stem/.*", "Conv2D"], [".*keep.*", ""]],
    "convertible_exceptions": [[".*force.*", ""], ["layer4", "FusedBatchNormV3"]]})");
  std::string recorded;
  const StorageRules rules =
      read({{"precision", "16.32"}, {"bf16-lists", file}}, &recorded).storage();
  EXPECT_EQ(recorded,
            "none,always Conv2D,always MatMul,always BatchMatMul,always _ScopedAllocator,any "
            "AddV2,any Relu,any MaxPool,never Conv2D stem/.*,never * .*keep.*,always * .*force.*,"
            "always FusedBatchNormV3 layer4");
  const OpDef convolution{.name = "convolution", .narrowing = Narrowing::always};
  const OpDef relu{.name = "relu", .narrowing = Narrowing::follows};
  const OpDef norm{.name = "batch_norm", .narrowing = Narrowing::follows};
  const OpDef softmax{.name = "softmax"};
  EXPECT_EQ(storage_of(rules, convolution, "layer1"), Narrowing::always);
  EXPECT_EQ(storage_of(rules, convolution, "stem/conv"), Narrowing::never);
  EXPECT_EQ(storage_of(rules, convolution, "a/keep"), Narrowing::never);
  EXPECT_EQ(storage_of(rules, relu, "layer1"), Narrowing::any);
  EXPECT_EQ(storage_of(rules, relu, "force/me"), Narrowing::always);
  EXPECT_EQ(storage_of(rules, softmax, "force/me"), Narrowing::never);
  EXPECT_EQ(storage_of(rules, norm, "layer1"), Narrowing::never);
  EXPECT_EQ(storage_of(rules, norm, "layer4.bn"), Narrowing::always);
}

// Every op that the table names exists and can store bf16.
TEST(StorageLists, TensorFlowsNamesAreThoseOfOpsHere) {
  for (const std::string_view name : tensorflow_names()) {
    read({{"precision", "16.32"}, {"bf16-lists", "always " + std::string(name)}});
    const auto ops = ops_of_tensorflow(name);
    for (const std::string_view op : *ops) {
      bool narrows = false;
      for (const ops::OpFamily& family : ops::ops_catalog()) {
        for (const OpDef* def : family.ops) {
          narrows = narrows || (def->name == op && def->narrowing != Narrowing::never);
        }
      }
      EXPECT_TRUE(narrows) << name << ": " << op;
    }
  }
}

TEST(StorageLists, MarkersInNamesGoBeforeAllRules) {
  const OpDef relu{.name = "relu", .narrowing = Narrowing::follows};
  const OpDef softmax{.name = "softmax"};
  const StorageRules rules =
      read({{"precision", "16.32"}, {"bf16-lists", "always relu a,never relu b"}}).storage();
  EXPECT_EQ(storage_of(rules, relu, "a.KEEP_FP32_PRECISION.relu"), Narrowing::never);
  EXPECT_EQ(storage_of(rules, relu, "b.FORCE_BF16_PRECISION.relu"), Narrowing::always);
  EXPECT_EQ(storage_of(rules, softmax, "FORCE_BF16_PRECISION"), Narrowing::never);
  EXPECT_EQ(storage_of({}, relu, "FORCE_BF16_PRECISION"), Narrowing::never);
}

TEST(StorageLists, MistakesAreNamed) {
  const test::TempFolder folder;
  const auto refused = [&](const std::string& lists,
                           std::initializer_list<std::string_view> words) {
    expect_raises(Fault::usage, words, [&] {
      read({{"precision", "16.32"}, {"bf16-lists", lists}});
    });
  };
  refused("never batchnorm", {"there is no op batchnorm", "nearest: batch_norm"});
  refused("always softmax", {"softmax is computed in fp32 alone"});
  refused("never relu (", {"no regular expression"});
  refused("never relu a b", {"nor a rule"});
  refused("absent.json", {"absent.json"});
  const auto file_refused = [&](const std::string& text,
                                std::initializer_list<std::string_view> words) {
    const std::string file = folder / "lists.json";
    test::write_bytes(file, text);
    refused(file, words);
  };
  file_refused("{", {"lists.json", "try: the lists of docs/precision.md"});
  file_refused("[]", {"no JSON object"});
  file_refused(R"({"whitelist": []})", {"there is no list whitelist"});
  file_refused(R"({"allowlist": "relu"})", {"allowlist is not a list of ops"});
  file_refused(R"({"allowlist": [["relu", "x"]]})", {"allowlist is not a list of ops"});
  file_refused(R"({"convertible_exceptions": ["relu"]})", {"pairs of op and expression"});
  file_refused(R"({"convertible_exceptions": [["relu", "a,b"]]})",
               {"a,b is empty or has", "commas"});
  file_refused(R"({"allowlist": ["Conv2d"]})", {"there is no op Conv2d", "nearest: Conv2D"});
  file_refused(R"({"convertible_exceptions": [["", ""]]})", {"is empty"});
}

}  // namespace
}  // namespace convoy
