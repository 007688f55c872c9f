// The numbers of every model are the published ones, and `convoy list models` prints them. Those of
// CIFAR's projections and wide ones are of the PyTorch module in tests/fixtures/cifar_resnet.py.

#include "app/model_facts.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
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
};

struct Table {
  const char* family;
  int classes, more_classes;
  std::span<const Counts> rows;
};
const Table tables[] = {{"cifar_resnet", 10, 100, cifar_resnets}, {"resnet", 1000, 1001, resnets}};

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

TEST(ModelFacts, EveryVariantOfATablesFamilyIsInIt) {
  for (const Table& table : tables) {
    EXPECT_EQ(find_model(table.rows[0].name).family.variants.size(), table.rows.size());
  }
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
