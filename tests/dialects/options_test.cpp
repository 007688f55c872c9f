// The tables of the dialects against options.tsv, a list of what the five stacks declare: no option
// may be missing, and class and default are theirs.

#include <gtest/gtest.h>

#include <set>

#include "base/files/file.h"
#include "config/value.h"
#include "dialects/support.h"
#include "dialects/value_kind.h"
#include "support/places.h"
#include "train/run/run_config.h"

namespace convoy::test {
namespace {

struct Listed {
  std::string dialect, program, name, others, fallback, kind;
};

std::vector<Listed> listed() {
  const std::string file = (source_dir() / "tests/dialects/options.tsv").string();
  std::vector<Listed> all;
  for (const std::string& line : split(read_file(file, Fault::bug), '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = split(line, '\t');
    expect(cells.size() == 6, "a row of options.tsv: " + line);
    all.push_back({cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]});
  }
  return all;
}

// Defaults that are told in words, and depend on other options.
bool is_told(const std::string& text) {
  for (const char* start : {"per ", "any", "auto", "inferred", "env ", "configs.yml", "cache", "SR",
                            "validate", "[]"}) {
    if (text.starts_with(start)) return true;
  }
  return text.find('(') != text.npos;
}

bool same_fallback(const DialectRow& row, std::string theirs) {
  const std::string ours = canonical_value(row.values, row.fallback);
  if (theirs == "−1") theirs = "-1";
  if (row.values == "truthy") return ours == "false";
  if (theirs == "None" || theirs == "empty" || theirs.empty()) {
    return ours.empty() || takes_nothing(row.values) || row.values == "truthy";
  }
  if (theirs == "off" && takes_nothing(row.values)) return ours == "false";
  double a = 0, b = 0;
  if (parse_value(ours, a).empty() && parse_value(theirs, b).empty()) return a == b;
  return small_letters(canonical_value(row.values, theirs)) == small_letters(ours);
}

TEST(DialectOptionsCatalog, HaveEveryOptionOfTheFiveStacks) {
  const std::vector<Listed> all = listed();
  EXPECT_GT(all.size(), 400u);
  for (const Listed& each : all) {
    const Dialect* dialect = find_dialect(each.dialect);
    ASSERT_NE(dialect, nullptr) << each.dialect;
    const DialectProgram* program = find_program(*dialect, each.program);
    ASSERT_NE(program, nullptr) << each.program;
    const DialectRow* row = find_row(*program, each.name);
    ASSERT_NE(row, nullptr) << each.program << " has no --" << each.name;
    for (const std::string& other : split_at_blanks(each.others)) {
      EXPECT_EQ(find_row(*program, other), row) << each.program << ": " << other;
    }
    EXPECT_EQ(std::string(1, row->kind), each.kind.substr(0, 1))
        << each.program << ": " << each.name;
    if (!is_told(each.fallback)) {
      EXPECT_TRUE(same_fallback(*row, each.fallback))
          << each.program << ": " << each.name << " \"" << row->fallback << "\", not "
          << each.fallback;
    }
  }
}

TEST(DialectOptionsCatalog, DeclareEachSpellingOnce) {
  for (const Dialect& dialect : dialect_catalog()) {
    for (const DialectProgram& program : dialect.programs) {
      std::set<std::string> seen;
      for (const std::span<const DialectRow> rows : program.rows) {
        for (const DialectRow& row : rows) {
          for (const std::string& name : spellings(row)) {
            EXPECT_TRUE(seen.insert(dashed(name)).second) << program.name << ": " << name;
          }
          EXPECT_FALSE(row.meaning.empty()) << row.names;
          if (!row.fallback.empty()) {
            EXPECT_EQ(value_problem(row.values, row.fallback), "") << row.names;
          }
        }
      }
    }
  }
}

TEST(DialectOptionsCatalog, NameOptionsThatConvoyHas) {
  const std::vector<Field> known = [] {
    Fields field({});
    RunConfig::describe_all(field);
    return field.all();
  }();
  // Made at the same time as the dialects, and refused by a run until they are there.
  const std::set<std::string> coming{"recompute",         "pipeline", "pipeline-splits",
                                     "pipeline-schedule", "shards",   "stochastic-rounding",
                                     "fp-exceptions"};
  for (const char* stack : {"keras", "resnext", "ssd", "torchvision", "cnns"}) {
    const DialectProgram& program = find_dialect(stack)->programs.front();
    for (const std::span<const DialectRow> rows : program.rows) {
      for (const DialectRow& row : rows) {
        if (!row.meaning.starts_with("--") || row.kind == 'H') continue;
        for (const std::string& word : split_at_blanks(std::string(row.meaning))) {
          if (!word.starts_with("--") || row.meaning.find("launch") != row.meaning.npos) continue;
          const std::string key = word.substr(2, word.find_last_not_of(",;:.") - 1);
          if (coming.contains(key)) continue;
          EXPECT_NE(find_field(known, key), nullptr) << stack << ": " << row.names << ": " << word;
        }
      }
    }
  }
}

}  // namespace
}  // namespace convoy::test
