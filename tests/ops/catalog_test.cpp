// Every op that can run must have a case that runs it.

#include <gtest/gtest.h>

#include "ops/cases.h"
#include "ops/family.h"

namespace convoy::test {
namespace {

TEST(CatalogOp, EveryOpWithAKernelHasACase) {
  std::set<std::string> seen;
  for (const auto& cases :
       {activation_cases(),    arithmetic_cases(),     batch_norm_cases(), bias_cases(),
        box_heads_cases(),     byte_image_cases(),     cast_cases(),       convolution_cases(),
        cross_entropy_cases(), detection_loss_cases(), dropout_cases(),    group_norm_cases(),
        label_weight_cases(),  linear_cases(),         mixing_cases(),     pad_cases(),
        pooling_cases(),       shape_cases(),          shortcut_cases(),   softmax_cases()}) {
    for (const OpCase& c : cases) seen.merge(ops_in(c));
  }
  // What only the plan of one replica among several holds, which exchanges sums between its steps:
  // tests/dist/processes_test.cpp runs it against a batch norm of the whole batch.
  const std::set<std::string> of_groups{
      "bucket_ready",    "exchange_rows",    "span_begin",           "span_end",
      "batch_norm_sums", "batch_norm_apply", "batch_norm_grad_sums", "batch_norm_grad_apply"};
  seen.insert(of_groups.begin(), of_groups.end());
  for (const ops::OpFamily& family : ops::ops_catalog()) {
    for (const OpDef* op : family.ops) {
      if (!op->kernel) continue;
      EXPECT_TRUE(seen.contains(std::string(op->name))) << "no case runs " << op->name;
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
