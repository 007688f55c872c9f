#include "train/checkpoint/weights_metadata.h"

#include <gtest/gtest.h>

#include "support/raises.h"

namespace convoy {
namespace {

using test::expect_raises;

TEST(WeightsMetadata, IsReadBack) {
  EXPECT_EQ(told_image({}, "x"), std::nullopt);
  EXPECT_EQ(told_class_names({}, "x"), std::vector<std::string>{});
  EXPECT_EQ(told_image({{"convoy.image", "3x32x24"}}, "x"), (Shape{3, 32, 24}));
  EXPECT_EQ(told_class_names({{"convoy.class-names", R"(["tench, Tinca tinca","\"ö\""])"}}, "x"),
            (std::vector<std::string>{"tench, Tinca tinca", "\"ö\""}));
}

TEST(WeightsMetadata, InAnotherFormIsRefused) {
  for (const char* text : {"", "3", "3x32", "3x32x32x1", "3x0x32", "3x-1x32", "3x32x", "ax32x32",
                           "3x32x99999999999999999999", "3x32x1000000"}) {
    expect_raises(Fault::checkpoint, {"w.safetensors", "convoy.image"}, [&] {
      told_image({{"convoy.image", text}}, "w.safetensors");
    });
  }
  for (const char* text : {"", "cat,dog", "{}", "[1]", "[\"a\"", "[[\"a\"]]", "null"}) {
    expect_raises(Fault::checkpoint, {"w.safetensors", "convoy.class-names"}, [&] {
      told_class_names({{"convoy.class-names", text}}, "w.safetensors");
    });
  }
}

}  // namespace
}  // namespace convoy
