// Every op that computes must be run by the tests of its family (tests/ops/cases.h).

#include <gtest/gtest.h>

#include "ops/cases.h"
#include "ops/family.h"

namespace convoy::test {
namespace {

TEST(CatalogOp, EveryOpThatComputesIsRun) {
  std::set<std::string> seen;
  for (const OpsRun ops : RegisteredOps::all()) seen.merge(ops());
  for (const ops::OpFamily& family : ops::ops_catalog()) {
    for (const OpDef* op : family.ops) {
      // What a collective does is not in its kernel: tests/dist, tests/engine/collectives_test.cpp.
      if (!op->kernel || op->collective) continue;
      EXPECT_TRUE(seen.contains(std::string(op->name)))
          << "no test registers that it runs " << op->name;
    }
  }
}

// The column says what the op does (docs/precision.md is made from it).
TEST(CatalogOp, OpsAreRunInBf16IfTheySayThatTheyCanStoreIt) {
  std::set<std::string> seen;
  for (const OpsRun ops : RegisteredOps::all()) seen.merge(ops());
  for (const ops::OpFamily& family : ops::ops_catalog()) {
    for (const OpDef* op : family.ops) {
      if (!op->kernel || op->collective || op->name == "cast" || op->name == "reorder") continue;
      const bool can = op->narrowing != Narrowing::never || op->chooses_storage;
      EXPECT_EQ(seen.contains(std::string(op->name) + std::string(in_bf16)), can) << op->name;
    }
  }
}

TEST(CatalogOp, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const ops::OpFamily& family : ops::ops_catalog()) {
    for (const OpDef* op : family.ops) {
      EXPECT_TRUE(names.insert(op->name).second) << op->name << " is there twice";
    }
  }
}

}  // namespace
}  // namespace convoy::test
