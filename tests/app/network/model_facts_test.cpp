// The numbers of every model are the published ones, and `convoy list models` prints them. Those of
// what was not published are of the PyTorch modules in tests/fixtures/networks.py.

#include "app/network/model_facts.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/text/text.h"
#include "support/run_files.h"

namespace convoy {
namespace {

struct Counts {
  const char* name;
  int64_t trainable, of_more_classes;  // 10 and 100 classes, or 1000 and 1001
  int64_t statistics;
  double gmacs;  // 0: not published
};
constexpr Counts cifar_resnets[] = {
    {"cifar_resnet8", 75290, 81140, 480, .012},
    {"cifar_resnet14", 172506, 178356, 928, .026},
    {"cifar_resnet20", 269722, 275572, 1376, .041},
    {"cifar_resnet32", 464154, 470004, 2272, .069},
    {"cifar_resnet44", 658586, 664436, 3168, .097},
    {"cifar_resnet56", 853018, 858868, 4064, .125},
    {"cifar_resnet110", 1727962, 1733812, 8096, .253},
    {"graphcore_cifar_resnet8", 75290, 81140, 480, .012},
    {"graphcore_cifar_resnet14", 172506, 178356, 928, .026},
    {"graphcore_cifar_resnet20", 269722, 275572, 1376, .041},
    {"graphcore_cifar_resnet32", 464154, 470004, 2272, .069},
    {"graphcore_cifar_resnet44", 658586, 664436, 3168, .097},
    {"graphcore_cifar_resnet110", 1727962, 1733812, 8096, .253},
    {"cifar_resnet11_bottleneck", 127642, 150772, 2272, .020},
    {"cifar_resnet29_bottleneck", 313114, 336244, 4960, 0},
    {"cifar_resnet38_bottleneck", 405850, 428980, 6304, 0},
    {"cifar_resnet47_bottleneck", 498586, 521716, 7648, 0},
    {"cifar_resnet56_bottleneck", 591322, 614452, 8992, 0},
    {"cifar_resnet65_bottleneck", 684058, 707188, 10336, .101},
    {"cifar_resnet8_projection", 78042, 83892, 672, 0},
    {"cifar_resnet14_projection", 175258, 181108, 1120, 0},
    {"cifar_resnet20_projection", 272474, 278324, 1568, 0},
    {"cifar_resnet32_projection", 466906, 472756, 2464, 0},
    {"cifar_resnet44_projection", 661338, 667188, 3360, 0},
    {"cifar_resnet56_projection", 855770, 861620, 4256, 0},
    {"cifar_resnet110_projection", 1730714, 1736564, 8288, 0},
    {"cifar_resnet11_bottleneck_wide", 1978954, 2071204, 9088, 0},
    {"cifar_resnet29_bottleneck_wide", 4914250, 5006500, 19840, 0},
    {"cifar_resnet38_bottleneck_wide", 6381898, 6474148, 25216, 0},
    {"cifar_resnet47_bottleneck_wide", 7849546, 7941796, 30592, 0},
    {"cifar_resnet56_bottleneck_wide", 9317194, 9409444, 35968, 0},
    {"cifar_resnet65_bottleneck_wide", 10784842, 10877092, 41344, 0},
    {"cifar_resnext11", 403162, 426292, 5408, 0.081},
    {"cifar_resnext11_wide", 1815370, 1907620, 10880, 0.343},
    {"cifar_resnext29", 1293786, 1316916, 14368, 0.21},
    {"cifar_resnext29_wide", 4775754, 4868004, 25216, 0.774},
    {"cifar_resnext38", 1739098, 1762228, 18848, 0.274},
    {"cifar_resnext38_wide", 6255946, 6348196, 32384, 0.99},
    {"cifar_resnext47", 2184410, 2207540, 23328, 0.339},
    {"cifar_resnext47_wide", 7736138, 7828388, 39552, 0},
    {"cifar_resnext56", 2629722, 2652852, 27808, 0.403},
    {"cifar_resnext56_wide", 9216330, 9308580, 46720, 0},
    {"cifar_resnext65", 3075034, 3098164, 32288, 0.468},
    {"cifar_resnext65_wide", 10696522, 10788772, 53888, 0},
};
// The multiply-adds of v1 are less by what its 1x1 convolutions at half the size leave out.
constexpr Counts resnets[] = {
    {"resnet18", 11689512, 11690025, 9600, 1.814},
    {"resnet34", 21797672, 21798185, 17024, 3.664},
    {"resnet50", 25557032, 25559081, 53120, 4.089},
    {"resnet101", 44549160, 44551209, 105344, 7.801},
    {"resnet152", 60192808, 60194857, 151424, 11.514},
    {"resnet200", 64673832, 64675881, 176000, 15.007},
    {"resnet18_v1", 11693736, 11694249, 9728, 1.827},
    {"resnet34_v1", 21801896, 21802409, 17152, 3.677},
    {"resnet50_v1", 25557032, 25559081, 53120, 3.858},
    {"resnet101_v1", 44549160, 44551209, 105344, 7.570},
    {"resnet152_v1", 60192808, 60194857, 151424, 11.282},
    {"resnet200_v1", 64673832, 64675881, 176000, 14.776},
    {"resnet18_v2", 11691816, 11692329, 7808, 1.827},
    {"resnet34_v2", 21799976, 21800489, 15232, 3.677},
    {"resnet50_v2", 25549352, 25551401, 45440, 4.089},
    {"resnet101_v2", 44541480, 44543529, 97664, 7.801},
    {"resnet152_v2", 60185128, 60187177, 143744, 11.514},
    {"resnet200_v2", 64666152, 64668201, 168320, 15.007},
    {"wide_resnet50_2", 68883240, 68885289, 68224, 11.398},
    {"wide_resnet101_2", 126886696, 126888745, 137856, 22.753},
    {"resnext50_32x4d", 25028904, 25030953, 68224, 4.23},
    {"resnext50_32x8d", 48021800, 48023849, 98432, 0},
    {"resnext50_64x4d", 45192488, 45194537, 98432, 0},
    {"resnext101_32x4d", 44177704, 44179753, 137856, 7.97},
    {"resnext101_32x8d", 88791336, 88793385, 202880, 16.414},
    {"resnext101_64x4d", 83455272, 83457321, 202880, 15.46},
    {"resnext152_32x4d", 59951400, 59953449, 199296, 11.71},
    {"resnext152_32x8d", 122372392, 122374441, 295040, 0},
    {"resnext152_64x4d", 114971944, 114973993, 295040, 0},
};

constexpr Counts keras_resnets[] = {
    {"keras_resnet50", 25583592, 25585641, 53120, 3.858},
    {"keras_resnet101", 44601832, 44603881, 105344, 7.57},
    {"keras_resnet152", 60268520, 60270569, 151424, 11.282},
    {"keras_resnet50v2", 25568360, 25570409, 45440, 3.482},
    {"keras_resnet101v2", 44577896, 44579945, 97664, 7.194},
    {"keras_resnet152v2", 60236904, 60238953, 143744, 10.907},
};
constexpr Counts habana_resnets[] = {
    {"habana_resnet18", 11693736, 11694249, 9728, 1.827},
    {"habana_resnet34", 21801896, 21802409, 17152, 3.677},
    {"habana_resnet50", 25557032, 25559081, 53120, 4.089},
    {"habana_resnet101", 44549160, 44551209, 105344, 7.801},
    {"habana_resnet152", 60192808, 60194857, 151424, 11.514},
    {"habana_resnet200", 64673832, 64675881, 176000, 15.007},
    {"habana_resnet18_v2", 11691816, 11692329, 7808, 1.827},
    {"habana_resnet34_v2", 21799976, 21800489, 15232, 3.677},
    {"habana_resnet50_v2", 25549352, 25551401, 45440, 4.089},
    {"habana_resnet101_v2", 44541480, 44543529, 97664, 7.801},
    {"habana_resnet152_v2", 60185128, 60187177, 143744, 11.514},
    {"habana_resnet200_v2", 64666152, 64668201, 168320, 15.007},
    {"habana_resnext50", 25028904, 25030953, 68224, 4.23},
    {"habana_resnext101", 44177704, 44179753, 137856, 7.97},
    {"habana_resnext152", 59951400, 59953449, 199296, 11.71},
    {"habana_keras_resnet50", 25557032, 25559081, 53120, 4.089},
};
// With group norm, so without statistics.
constexpr Counts graphcore_resnets[] = {
    {"graphcore_resnet10", 5423016, 5423529, 0, 0.902},
    {"graphcore_resnet14", 10064936, 10066985, 0, 1.469},
    {"graphcore_resnet18", 11693736, 11694249, 0, 1.827},
    {"graphcore_resnet26", 15995176, 15997225, 0, 2.342},
    {"graphcore_resnet34", 21801896, 21802409, 0, 3.677},
    {"graphcore_resnet50", 25557032, 25559081, 0, 0},
    {"graphcore_resnet101", 44549160, 44551209, 0, 0},
    {"graphcore_resnet152", 60192808, 60194857, 0, 0},
    {"graphcore_resnext14", 9411880, 9413929, 0, 1.591},
    {"graphcore_resnext26", 15389480, 15391529, 0, 2.471},
    {"graphcore_resnext50", 25028904, 25030953, 0, 0},
    {"graphcore_resnext101", 44177704, 44179753, 0, 0},
    {"graphcore_resnext152", 59951400, 59953449, 0, 0},
};
constexpr Counts efficientnets[] = {
    {"efficientnet_b0", 5288548, 5289829, 42016, 0.386},
    {"efficientnet_b1", 7794184, 7795465, 62048, 0.687},
    {"efficientnet_b2", 9109994, 9111403, 67568, 0.994},
    {"efficientnet_b3", 12233232, 12234769, 87296, 1.827},
    {"efficientnet_b4", 19341616, 19343409, 125200, 4.394},
    {"efficientnet_b5", 30389784, 30391833, 172736, 10.266},
    {"efficientnet_b6", 43040704, 43043009, 224432, 19.068},
    {"efficientnet_b7", 66347960, 66350521, 310720, 37.746},
    {"graphcore_efficientnet_b0", 5288548, 5289829, 0, 0},
    {"graphcore_efficientnet_b1", 7794184, 7795465, 0, 0},
    {"graphcore_efficientnet_b2", 9109994, 9111403, 0, 0},
    {"graphcore_efficientnet_b3", 12233232, 12234769, 0, 0},
    {"graphcore_efficientnet_b4", 19341616, 19343409, 0, 0},
    {"graphcore_efficientnet_b5", 30389784, 30391833, 0, 0},
    {"graphcore_efficientnet_b6", 43040704, 43043009, 0, 0},
    {"graphcore_efficientnet_b7", 66347960, 66350521, 0, 0},
    {"graphcore_efficientnet_b0_g16", 5913796, 5915077, 0, 0.635},
    {"graphcore_efficientnet_b1_g16", 8332120, 8333401, 0, 0},
    {"graphcore_efficientnet_b2_g16", 9504122, 9505531, 0, 0},
    {"graphcore_efficientnet_b3_g16", 12590896, 12592433, 0, 0},
    {"graphcore_efficientnet_b4_g16", 19328168, 19329961, 0, 6.183},
    {"graphcore_efficientnet_b5_g16", 28715320, 28717369, 0, 0},
    {"graphcore_efficientnet_b7_g16", 59210264, 59212825, 0, 0},
};
constexpr Counts mobilenets[] = {
    {"mobilenet_v1", 4231976, 4233001, 21888, 0},
    {"mobilenet_v1_075", 2585560, 2586329, 16416, 0},
    {"mobilenet_v1_050", 1331592, 1332105, 10944, 0},
    {"mobilenet_v1_025", 470072, 470329, 5472, 0},
};
constexpr Counts squeezenets[] = {
    {"squeezenet1_0_caffe", 1248424, 1248937, 0, 0},
    {"squeezenet1_0", 1248424, 1248937, 0, 0},
    {"squeezenet1_1", 1235496, 1236009, 0, 0},
};

struct Table {
  const char* family;
  int classes, more_classes;
  std::span<const Counts> rows;
};
const Table tables[] = {{"cifar_resnet", 10, 100, cifar_resnets},
                        {"resnet", 1000, 1001, resnets},
                        {"keras_resnet", 1000, 1001, keras_resnets},
                        {"habana_resnet", 1000, 1001, habana_resnets},
                        {"graphcore_resnet", 1000, 1001, graphcore_resnets},
                        {"efficientnet", 1000, 1001, efficientnets},
                        {"mobilenet_v1", 1000, 1001, mobilenets},
                        {"squeezenet", 1000, 1001, squeezenets}};

TEST(ModelFacts, AreThePublishedNumbers) {
  for (const Table& table : tables) {
    for (const Counts& row : table.rows) {
      const FoundModel model = find_model(row.name);
      EXPECT_EQ(model.family.family, table.family);
      const ModelFacts facts = model_facts(model, table.classes);
      EXPECT_EQ(facts.trainable, row.trainable) << row.name;
      EXPECT_EQ(facts.statistics, row.statistics) << row.name;
      EXPECT_EQ(model_facts(model, table.more_classes).trainable, row.of_more_classes) << row.name;
      if (row.gmacs == 0) continue;
      EXPECT_NEAR(facts.multiply_adds / 1e9, row.gmacs, 0.0005) << row.name;
    }
  }
}

TEST(ModelFacts, EveryVariantOfEveryFamilyOfClassifiersIsInATable) {
  for (const ModelDef& family : model_catalog()) {
    if (family.task != "classification") continue;
    const auto table = std::ranges::find(tables, family.family, &Table::family);
    ASSERT_NE(table, std::end(tables)) << family.family;
    for (const Variant& variant : family.variants) {
      if (variant.classes) continue;  // not as many as the others: it has a test of its own
      const auto row = std::ranges::find(table->rows, variant.name, &Counts::name);
      EXPECT_NE(row, table->rows.end()) << variant.name;
    }
  }
}

TEST(ModelFacts, OfOptionsAndExceptions) {
  const ModelFacts cifar = model_facts(find_model("cifar_efficientnet"), 10);
  EXPECT_EQ(cifar.trainable, 1077932);
  EXPECT_NEAR(cifar.multiply_adds / 1e9, 0.036, 0.0005);
  const auto with = [](const char* model, const ModelOptions& options) {
    return model_facts(find_model(model), 1000, 0, options);
  };
  // A stem of four channels; batch norm, whose statistics count.
  EXPECT_EQ(with("graphcore_resnext14", {{"stem-channels", "4"}}).trainable, 9415016);
  EXPECT_EQ(with("graphcore_resnet18", {{"norm", "batch"}}).statistics, 9728);
  EXPECT_EQ(with("graphcore_resnext26", {{"norm", "batch"}}).statistics, 38528);
  EXPECT_EQ(with("graphcore_efficientnet_b4_g16", {{"norm", "batch"}}).statistics, 88144);
  // What makes one of the other.
  EXPECT_EQ(
      with("graphcore_efficientnet_b0", {{"expand-ratio", "4"}, {"group-dim", "16"}}).trainable,
      5913796);
  EXPECT_LT(with("efficientnet_b0", {{"se", "false"}}).trainable, 5288548);
}

// By name: the other columns of `convoy list models OPTIONS`.
std::map<std::string, std::string> listed(const test::Arguments& options) {
  const test::TempFolder folder;
  const test::Finished end =
      test::run_convoy(test::joined({"list", "models"}, options), folder.path());
  EXPECT_EQ(end.code, 0) << end.err;
  std::map<std::string, std::string> lines;
  for (const std::string& line : test::lines_of(end.out)) {
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    while (words >> word) lines[name] += (lines[name].empty() ? "" : " ") + word;
  }
  return lines;
}

TEST(ModelFacts, AreWhatListModelsPrints) {
  const auto lines = listed({});
  EXPECT_EQ(lines.at("model"), "image parameters BN stats GMACs");
  for (const Table& table : tables) {
    for (const Counts& row : table.rows) {
      const int image = find_model(row.name).image_size();
      const std::string start =
          fmt::format("{} {} {} ", image, with_commas(row.trainable), with_commas(row.statistics));
      const std::string gmacs = row.gmacs == 0 ? "" : fmt::format("{:.3f}", row.gmacs);
      EXPECT_TRUE(lines.at(row.name).starts_with(start + gmacs))
          << row.name << " " << lines.at(row.name) << ", not " << start + gmacs;
    }
  }
  const auto tensorflows = listed({"resnet*", "--num-classes", "1001"});
  EXPECT_EQ(tensorflows.at("resnet50"), "224 25,559,081 53,120 4.089");
  EXPECT_EQ(tensorflows.at("resnet18_v1"), "224 11,694,249 9,728 1.827");
  EXPECT_EQ(tensorflows.at("resnet200_v2"), "224 64,668,201 168,320 15.007");
  EXPECT_FALSE(tensorflows.contains("wide_resnet50_2"));
}

}  // namespace
}  // namespace convoy
