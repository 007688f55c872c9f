// The manners of absl and argparse, and what is refused.

#include "dialects/arguments.h"

#include <gtest/gtest.h>

#include "dialects/dialect_plan.h"
#include "dialects/support.h"
#include "support/raises.h"

namespace convoy::test {
namespace {

DialectArguments parsed(const char* dialect, const std::vector<std::string>& words,
                        const char* program = nullptr) {
  const Dialect& of = *find_dialect(dialect);
  return parse_dialect(of, program ? *find_program(of, program) : of.programs.front(), words);
}

std::string value(const DialectArguments& arguments, const std::string& name) {
  const auto found = arguments.values.find(name);
  return found == arguments.values.end() ? "(none)" : found->second.text;
}

TEST(DialectArguments, ShortFormsOfAbslHaveOneDashOrTwo) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"-bs", "64"},
                                                {"--bs", "64"},
                                                {"-bs=64"},
                                                {"--batch_size=64"},
                                                {"--batch-size", "64"}}) {
    EXPECT_EQ(value(parsed("keras", words), "batch_size"), "64") << words[0];
  }
}

TEST(DialectArguments, BooleansOfAbslHaveANegation) {
  EXPECT_EQ(value(parsed("keras", {"--clean"}), "clean"), "true");
  EXPECT_EQ(value(parsed("keras", {"--noclean"}), "clean"), "false");
  EXPECT_EQ(value(parsed("keras", {"--clean=False"}), "clean"), "false");
  EXPECT_EQ(value(parsed("keras", {"--experimental_preloading=0"}), "experimental_preloading"),
            "false");
  expect_raises(Fault::usage, {"unexpected word \"true\""}, [] {
    parsed("keras", {"--clean", "true"});
  });
}

// argparse's type=bool takes every text for true, but the empty one.
TEST(DialectArguments, TruthyOptionsAreTrueForTheWordFalse) {
  EXPECT_EQ(value(parsed("keras", {"--kubernetes_run=False"}), "kubernetes_run"), "true");
  EXPECT_EQ(value(parsed("keras", {"--kubernetes_run="}), "kubernetes_run"), "false");
}

TEST(DialectArguments, ArgparseTakesBeginningsThatAreUnambiguous) {
  EXPECT_EQ(value(parsed("torchvision", {"--label-s", "0.1"}), "label-smoothing"), "0.1");
  expect_raises(Fault::usage, {"ambiguous option --lr-warmup", "--lr-warmup-epochs"}, [] {
    parsed("torchvision", {"--lr-warmup", "5"});
  });
  expect_raises(Fault::usage, {"unknown option --train_epo", "nearest: --train_epochs"}, [] {
    parsed("keras", {"--train_epo", "5"});
  });
}

TEST(DialectArguments, ArgparseTakesValuesBehindAShortForm) {
  EXPECT_EQ(value(parsed("ssd", {"-b64", "-e", "3"}), "batch_size"), "64");
  EXPECT_EQ(value(parsed("torchvision", {"-j4"}), "workers"), "4");
  EXPECT_EQ(value(parsed("cnns", {"--pipeline-splits", "b1/0/relu", "b1/2/relu", "--pipeline"}),
                  "pipeline-splits"),
            "b1/0/relu,b1/2/relu");
}

TEST(DialectArguments, ChoicesHaveAnyCase) {
  EXPECT_EQ(value(parsed("cnns", {"--optimiser", "RMSProp"}), "optimiser"), "RMSprop");
  EXPECT_EQ(value(parsed("keras", {"--optimizer=lars"}), "optimizer"), "LARS");
}

TEST(DialectArguments, LineEndsThatWereCopiedAreNoWords) {
  const DialectArguments found = parsed("torchvision", {" ", "--epochs=3", " \n", "  --amp"});
  EXPECT_EQ(value(found, "epochs"), "3");
  EXPECT_EQ(value(found, "amp"), "true");
}

TEST(DialectArguments, TheLastOfTwoCountsAndIsNamed) {
  const DialectArguments found = parsed("keras", {"-bs", "64", "-bs", "32"});
  EXPECT_EQ(value(found, "batch_size"), "32");
  EXPECT_EQ(found.overruled, std::vector<std::string>{"--batch_size 64"});
}

TEST(DialectArguments, WhatIsWrongIsNamedWithWhatIsAllowed) {
  expect_raises(Fault::usage, {"unknown option --bathc_size", "nearest: --batch_size"}, [] {
    parsed("keras", {"--bathc_size", "3"});
  });
  expect_raises(Fault::usage, {"--dtype \"int8\"", "fp32, bf16"}, [] {
    parsed("ssd", {"--dtype", "int8"});
  });
  expect_raises(Fault::usage, {"-bs \"many\"", "whole number"}, [] {
    parsed("keras", {"-bs", "many"});
  });
  expect_raises(Fault::usage, {"-bs \"0\"", "at least 1"}, [] { parsed("keras", {"-bs", "0"}); });
  expect_raises(Fault::usage, {"-bs has no value"}, [] { parsed("keras", {"-bs"}); });
  expect_raises(Fault::usage, {"-bs has no value"}, [] { parsed("keras", {"-bs", "--clean"}); });
  expect_raises(Fault::usage, {"takes no value"}, [] { parsed("torchvision", {"--amp=1"}); });
  expect_raises(Fault::usage, {"--set x has no ="}, [] { parsed("keras", {"--set", "x"}); });
  expect_raises(Fault::usage, {"has 3 elements, not 2"}, [] {
    parsed("ssd", {"--profile", "1,2,3"});
  });
}

TEST(DialectArguments, EveryDialectAndItsHelpWork) {
  for (const Dialect& dialect : dialect_catalog()) {
    for (const DialectProgram& program : dialect.programs) {
      const std::string command =
          fmt::format("convoy {} {} --helpfull", dialect.name, program.name);
      const std::string help = translated(command).help;
      EXPECT_NE(help.find("--explain"), help.npos) << command;
      for (const std::span<const DialectRow> rows : program.rows) {
        for (const DialectRow& row : rows) {
          EXPECT_NE(help.find(spellings(row).front()), help.npos) << command << ": " << row.names;
        }
      }
    }
  }
}

}  // namespace
}  // namespace convoy::test
