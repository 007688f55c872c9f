// ResNet blocks that TensorFlow computed (../shared/data): the checkpoint holds the input and the
// weights, results.json the shape, first and last element and sum of input and output, NHWC.
// Training mode: the norms take the batch's own statistics.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "models/blocks.h"
#include "ops/elementwise/activation.h"
#include "ops/elementwise/arithmetic.h"
#include "support/session.h"
#include "support/shared_data.h"
#include "weights/match.h"

namespace convoy::test {
namespace {

struct Case {
  const char* folder;
  bool bottleneck = false, projection = false, pre_activation = false;
};

// As official ResNets have them: filters count after the block, the stride is in the 3x3.
Value block(Builder& b, Value x, const Case& c) {
  const auto scope = b.scope("layer1.0");
  const int64_t out = channels(b, x) * (c.projection ? 2 : 1), stride = c.projection ? 2 : 1;
  const std::vector<ConvSpec> convs =
      c.bottleneck ? std::vector<ConvSpec>{{.out = out / 4, .kernel = 1},
                                           {.out = out / 4, .stride = stride},
                                           {.out = out, .kernel = 1}}
                   : std::vector<ConvSpec>{{.out = out, .stride = stride}, {.out = out}};
  const ConvSpec projection{.out = out, .kernel = 1, .stride = stride};
  Value y = x, shortcut = x;
  for (size_t i = 0; i < convs.size(); ++i) {
    const std::string norm_name = fmt::format("bn{}", i + 1),
                      conv_name = fmt::format("conv{}", i + 1);
    if (c.pre_activation) {
      y = ops::relu(b, norm(b, norm_name, y));
      if (i == 0 && c.projection) shortcut = conv(b, "downsample.0", y, projection);
      y = conv(b, conv_name, y, convs[i]);
    } else {
      y = norm(b, norm_name, conv(b, conv_name, y, convs[i]));
      if (i + 1 < convs.size()) y = ops::relu(b, y);
    }
  }
  if (!c.pre_activation && c.projection) {
    shortcut = norm(b, "downsample.1", conv(b, "downsample.0", x, projection));
  }
  y = ops::add(b, y, shortcut);
  return c.pre_activation ? y : ops::relu(b, y);
}

std::vector<float> as_nchw(const TensorEntry& nhwc) {
  const Shape& s = nhwc.shape;
  std::vector<float> values(static_cast<size_t>(s.count()));
  for (int64_t n = 0; n < s[0]; ++n) {
    for (int64_t i = 0; i < s[1] * s[2]; ++i) {
      for (int64_t c = 0; c < s[3]; ++c) {
        std::memcpy(&values[static_cast<size_t>((n * s[3] + c) * s[1] * s[2] + i)],
                    nhwc.data.data() + 4 * ((n * s[1] * s[2] + i) * s[3] + c), 4);
      }
    }
  }
  return values;
}

void expect_result(const Shape& nchw, const std::vector<float>& y, const nlohmann::json& truth,
                   size_t at, const char* folder) {
  const std::vector<int64_t> nhwc{nchw[0], nchw[2], nchw[3], nchw[1]};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(nhwc[i], truth[at + i].get<int64_t>()) << folder;
  double sum = 0;
  for (const float v : y) sum += double{v};
  EXPECT_NEAR(y.front(), truth[at + 4].get<double>(), 2e-5) << folder;
  EXPECT_NEAR(y.back(), truth[at + 5].get<double>(), 2e-5) << folder;
  EXPECT_NEAR(sum, truth[at + 6].get<double>(), 1e-5 * static_cast<double>(y.size())) << folder;
}

TEST(TfBlocks, GiveTheResultsOfTensorFlow) {
  const auto root = shared_data("fixtures/tf_checkpoint/resnet_blocks/resnet");
  if (!root) GTEST_SKIP();
  for (const Case& c :
       {Case{"batch_norm"}, Case{"batch-size-32_building_version-1_width-8_channels-4"},
        Case{"batch-size-32_building_projection_version-1_width-8_channels-4", false, true},
        Case{"batch-size-32_building_version-2_width-8_channels-4", false, false, true},
        Case{"batch-size-32_bottleneck_version-1_width-8_channels-4", true},
        Case{"batch-size-32_bottleneck_version-2_width-8_channels-4", true, false, true},
        Case{"batch-size-32_bottleneck_projection_version-2_width-8_channels-4", true, true,
             true}}) {
    const WeightFile file = WeightFile::read(*root / c.folder / "model.ckpt");
    const TensorEntry* input = file.find("input_tensor");
    ASSERT_NE(input, nullptr) << c.folder;
    const Shape& s = input->shape;
    const Shape image{s[0], s[3], s[1], s[2]};
    Graph graph;
    Builder b(graph, true);
    const Value x = b.input("image", {image});
    const bool norm_alone = std::string_view(c.folder) == "batch_norm";
    const Value y = norm_alone ? norm(b, "layer1.0.bn1", x) : block(b, x, c);
    const Shape shape = b.shape(y);
    b.output("y", y);

    Session session(plan(std::move(graph)));
    std::vector<Wanted> wanted;
    for (const auto& slot : session.state().layout().params)
      wanted.push_back({slot.name, slot.shape});
    for (const auto& slot : session.state().layout().stats)
      wanted.push_back({slot.name, slot.shape});
    const Match match = match_weights(file, wanted);
    ASSERT_TRUE(match.missing.empty() && match.different.empty()) << match.verdict();
    EXPECT_EQ(match.unused, std::vector<std::string>{"input_tensor"});
    for (const Match::Pair& pair : match.pairs) {
      const bool statistic = pair.wanted->name.find("running_") != std::string::npos;
      copy_renamed(*pair.source, pair.how,
                   statistic ? session.stat(pair.wanted->name) : session.param(pair.wanted->name));
    }
    const std::vector<float> values = as_nchw(*input);
    session.bind("image", values.data());
    session.run();
    const auto truth =
        nlohmann::json::parse(read_file(*root / c.folder / "results.json", Fault::bug));
    expect_result(image, values, truth, 0, c.folder);
    expect_result(shape, session.output("y"), truth, 7, c.folder);
  }
}

}  // namespace
}  // namespace convoy::test
