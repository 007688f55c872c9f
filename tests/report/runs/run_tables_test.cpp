// Tables of runs, as lines, CSV and JSON.
#include "report/runs/run_tables.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "support/temp_folder.h"

namespace convoy {
namespace {

Table sample() {
  return {{{"run", "run"}, {"loss", "loss"}, {"best", "best"}},
          {{TableCell("a,\"b\""), TableCell(0.1, "0.10"), TableCell(91.2, "91.20%")},
           {TableCell("x\n\x1b[2J"), TableCell(std::numeric_limits<double>::quiet_NaN(), "?"),
            TableCell()}}};
}

TEST(Table, NumbersAreAtTheRightAndControlCharactersEscaped) {
  EXPECT_EQ(table_lines(sample()),
            "run         loss    best\n"
            "a,\"b\"       0.10  91.20%\n"
            "x\\n\\x1b[2J\n");
}

TEST(Table, CsvAndJsonHaveTheExactValues) {
  EXPECT_EQ(table_csv(sample()),
            "run,loss,best\n"
            "\"a,\"\"b\"\"\",0.1,91.2\n"
            "\"x\n\x1b[2J\",,\n");
  const auto rows = nlohmann::json::parse(table_json(sample()));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("loss"), 0.1);
  EXPECT_TRUE(rows[1].at("loss").is_null());
  EXPECT_EQ(rows[1].at("run"), "x\n\x1b[2J");
  EXPECT_EQ(table_json({sample().columns, {}}), "[]\n");
}

void make_run(const fs::path& run, const std::string& lr, double top1) {
  make_folders(run, Fault::bug);
  write_atomically(run / "args.yml",
                   "# the options\n\n# Optimisation\nlr: " + lr +
                       "  # command line\nseed: 1  # default\nmomentum: 0.8  # command line\n",
                   Fault::bug);
  write_atomically(
      run / "metrics.jsonl",
      fmt::format(R"({{"event":"run_start","model":"m","dataset":"d","total_steps":4,"t":1}}
{{"event":"train","epoch":1,"step":4,"loss":0.5,"images_per_s":100,"t":2}}
{{"event":"eval","epoch":1,"step":4,"loss":0.4,"top1":{},"top5":99,"correct":1,"total":2,"t":3}}
{{"event":"run_end","step":4,"weights_hash":"00ff","seconds":61,"peak_rss_bytes":1048576,"exit":0,"t":4}}
)",
                  top1),
      Fault::bug);
}

std::string cell(const Table& table, const std::string& row, const std::string& column) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].key != column) continue;
    for (const auto& cells : table.rows) {
      if (cells[0].shown == row) return cells[c].shown;
    }
  }
  return "absent";
}

TEST(RunTables, ListShowsWhatEachRunReached) {
  const test::TempFolder folder;
  make_run(folder / "a", "0.1", 91.25);
  make_folders(folder / "no run", Fault::bug);
  write_atomically(folder / "no run/metrics.jsonl", "{\"ev", Fault::bug);
  const Table table = list_of_runs(find_runs(folder.path()).runs);
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(cell(table, "a", "status"), "finished");
  EXPECT_EQ(cell(table, "a", "model"), "m");
  EXPECT_EQ(cell(table, "a", "best"), "91.25%");
  EXPECT_EQ(cell(table, "a", "seconds"), "1:01");
  EXPECT_EQ(cell(table, "a", "train_loss"), "0.5");
}

TEST(RunTables, ComparisonShowsResultsAndTheOptionsThatDiffer) {
  const test::TempFolder folder;
  make_run(folder / "a", "0.1", 91.25);
  make_run(folder / "b", "0.2", 90);
  const std::vector<ComparedRun> runs{compared_run(folder / "a", "a"),
                                      compared_run(folder / "b", "b")};
  const Table table = comparison_of_runs(runs, false);
  EXPECT_EQ(cell(table, "best", "a"), "91.25%");
  EXPECT_EQ(cell(table, "best", "b"), "90.00%");
  EXPECT_EQ(cell(table, "--lr", "a"), "0.1");
  EXPECT_EQ(cell(table, "--lr", "b"), "0.2");
  EXPECT_EQ(cell(table, "--momentum", "a"), "absent") << "equal";
  EXPECT_EQ(cell(comparison_of_runs(runs, true), "--momentum", "a"), "0.8");
  EXPECT_EQ(cell(comparison_of_runs(runs, true), "--seed", "a"), "absent") << "a default";
}

TEST(RunTables, ARunThatIsRemovedOrDamagedHasEmptyCellsAndAProblem) {
  const test::TempFolder folder;
  make_run(folder / "a", "0.1", 91.25);
  write_atomically(folder / "a/metrics.jsonl", "{\"event\":\"run_st", Fault::bug);
  EXPECT_EQ(cell(list_of_runs({{folder / "a", "a"}}), "a", "best"), "");
  const ComparedRun gone = compared_run(folder / "gone", "gone");
  EXPECT_FALSE(gone.facts.problems.empty());
  EXPECT_EQ(
      cell(comparison_of_runs({compared_run(folder / "a", "a"), gone}, false), "--lr", "gone"), "");
}

}  // namespace
}  // namespace convoy
