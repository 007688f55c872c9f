// Every command of the five documents, as commands.tsv lists them: what `--explain --json` says of
// it, without its data.

#include <gtest/gtest.h>

#include <cmath>

#include "base/files/file.h"
#include "dialects/support.h"
#include "support/places.h"

namespace convoy::test {
namespace {

struct Row {
  std::string name, environment, command;
  std::vector<std::string> expected;
};

std::vector<Row> rows() {
  const std::string file = (source_dir() / "tests/dialects/commands.tsv").string();
  std::vector<Row> all;
  for (const std::string& line : split(read_file(file, Fault::bug), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = split(line, '\t');
    expect(cells.size() == 4, "a row of commands.tsv: " + line);
    all.push_back({cells[0], cells[1], cells[2], split_at_blanks(cells[3])});
  }
  return all;
}

// "lr_at.625", "options.weight_decay.value".
nlohmann::ordered_json value_at(nlohmann::ordered_json json, const std::string& path) {
  for (const std::string& key : split(path, '.')) {
    EXPECT_TRUE(json.contains(key)) << path;
    if (!json.contains(key)) return {};
    json = nlohmann::ordered_json(json[key]);
  }
  return json;
}

void expect_value(const nlohmann::ordered_json& json, const std::string& expected) {
  const size_t sign = expected.find_first_of("=~");
  const std::string path = expected.substr(0, sign);
  std::string text = expected.substr(sign + 1);
  const nlohmann::ordered_json value = value_at(json, path);
  if (expected[sign] == '~') {
    const size_t blank = path == "command" ? text.find('_') : text.npos;
    if (blank != text.npos) text[blank] = ' ';
    EXPECT_NE(value.dump().find(text), std::string::npos) << path << ": " << value.dump();
  } else if (text == "null") {
    EXPECT_TRUE(value.is_null()) << path << ": " << value.dump();
  } else if (value.is_number()) {
    const double number = std::stod(text);
    EXPECT_NEAR(value.get<double>(), number, 1e-6 + 2e-6 * std::abs(number)) << path;
  } else {
    EXPECT_EQ(value, text) << path;
  }
}

class DialectCommandsCatalog : public testing::TestWithParam<Row> {};

TEST_P(DialectCommandsCatalog, IsExplainedWithTheNumbersOfItsDocument) {
  const Row& row = GetParam();
  const Variables variables = variables_of(row.environment);
  const nlohmann::ordered_json json = explained(row.command, variables);
  for (const std::string& expected : row.expected) expect_value(json, expected);
}

INSTANTIATE_TEST_SUITE_P(Documents, DialectCommandsCatalog, testing::ValuesIn(rows()),
                         [](const auto& each) { return each.param.name; });

TEST(DialectCommands, TheWrapperAndTheTrainerWithAllOptionsAreTheSameRun) {
  const std::string common = " --optimizer LARS --base_learning_rate 9.5";
  const std::string rest =
      " --warmup_epochs 3 --lr_schedule polynomial --label_smoothing 0.1 --weight_decay 0.0001 "
      "--single_l2_loss_op";
  EXPECT_EQ(explained("convoy keras" + common)["command"],
            explained("convoy keras resnet_ctl_imagenet_main" + common + rest)["command"]);
}

}  // namespace
}  // namespace convoy::test
