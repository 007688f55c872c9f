#include "ops/conv/conv_name.h"

#include <gtest/gtest.h>

namespace convoy::ops {
namespace {

TEST(ConvName, IsReadAsItIsWritten) {
  for (const char* name :
       {"64@56x56->64/3x3/s1/p1", "3@224x224->64/7x7/s2/p3", "256@38x38->512/3x3/s2/p0.0.1.1",
        "1024@14x7->1024/3x3/s1/p1/g32", "1@1x1->1/1x1/s1/p0", "48@9x9->48/1x7/s1/p0.3.0.3",
        "64@56x56->64/1x1/s1/p0/bf16", "64@9x9->64/3x3/s1/p1/g4/bf16"}) {
    const auto shape = conv_by_name(name);
    ASSERT_TRUE(shape) << name;
    EXPECT_EQ(conv_name(*shape), name);
  }
  const auto shape = conv_by_name("16@32x30->24/3x5/s2/p1/g8");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->ic, 16);
  EXPECT_EQ(shape->ih, 32);
  EXPECT_EQ(shape->iw, 30);
  EXPECT_EQ(shape->oc, 24);
  EXPECT_EQ(shape->oh, 16);
  EXPECT_EQ(shape->ow, 14);
  EXPECT_EQ(shape->groups, 8);
}

TEST(ConvName, LeavesTheBatchOut) {
  onednn::ConvShape shape = *conv_by_name("64@56x56->64/3x3/s1/p1");
  shape.n = 33;
  EXPECT_EQ(conv_name(shape), "64@56x56->64/3x3/s1/p1");
}

TEST(ConvName, WhatIsNoConvolutionIsNone) {
  for (const char* text : {"",
                           "64",
                           "64@56x56",
                           "64@56x56->64",
                           "64@56x56->64/3x3",
                           "64@56x56->64/3x3/s1",
                           "64@56x56->64/3x3/s1/p1 ",
                           " 64@56x56->64/3x3/s1/p1",
                           "64@56x56->64/3x3/s0/p1",
                           "0@56x56->64/3x3/s1/p1",
                           "-1@56x56->64/3x3/s1/p1",
                           "+64@56x56->64/3x3/s1/p1",
                           "64@56x56->64/3x3/s1/p-1",
                           "64@56x56->64/3x3/s1/p1/g",
                           "64@56x56->64/3x3/s1/p1/g1",
                           "64@56x56->64/3x3/s1/p1/g7",
                           "64@56x56->64/3x3/s1/p1.1",
                           "64@56x56->64/3x3/s1/p1.1.1.",
                           "64@2x2->64/3x3/s1/p0",
                           "64@56x56->64/3X3/s1/p1",
                           "64@56x56->64/3x3/s1/p1/x",
                           "99999999999999999999@56x56->64/3x3/s1/p1",
                           "1000001@1x1->1/1x1/s1/p0",
                           "*"}) {
    EXPECT_FALSE(conv_by_name(text)) << text;
  }
}

}  // namespace
}  // namespace convoy::ops
