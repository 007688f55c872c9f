#include "boxes/fit/box_shapes.h"

#include <gtest/gtest.h>

#include "support/raises.h"

namespace convoy {
namespace {

TEST(BoxShapes, TextsAreReadAndWritten) {
  const std::vector<BoxShape> shapes{{.height = 0.25, .width = 0.5}, {.height = 1, .width = 0.125}};
  EXPECT_EQ(text_of(shapes), "0.5000x0.2500+0.1250x1.0000");
  EXPECT_EQ(parse_box_shapes(text_of(shapes)), shapes);
  EXPECT_EQ(parse_box_shapes("0.1x0.2"), (std::vector<BoxShape>{{.height = 0.2, .width = 0.1}}));
}

TEST(BoxShapes, OtherTextsAreRefused) {
  for (const char* text : {"", "0.1", "0.1x", "x", "0.1x0.2x0.3", "0x0.1", "0.1x1.5", "-0.1x0.1",
                           "0.1x0.2+", "nanx0.1", "0.1 x0.2", "infx1"}) {
    test::expect_raises(Fault::usage, {"no shape of a box", "0.1x0.25"},
                        [&] { parse_box_shapes(text); });
  }
}

}  // namespace
}  // namespace convoy
