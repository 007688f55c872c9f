// docs/precision.md has a table of all ops and how they are stored with --precision 16.32. It is
// made here; with UPDATE_GOLDEN=1 the file is written.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/files/file.h"
#include "ops/family.h"
#include "support/places.h"

namespace convoy::test {
namespace {

constexpr std::string_view head = "<!-- made by tests/ops/precision_table_test.cpp -->\n";
constexpr std::string_view tail = "\n## Lists\n";

// The row of an op in the table.
size_t row_of(const OpDef& op) {
  if (op.narrowing == Narrowing::always) return 0;
  if (op.narrowing == Narrowing::follows) return 1;
  EXPECT_EQ(op.narrowing, Narrowing::never) << op.name << ": any and all are for lists";
  return op.chooses_storage ? 2 : 3;
}

std::string table() {
  constexpr std::array names{"always", "as their inputs", "as the reader wants it", "fp32"};
  std::array<std::string, names.size()> ops;
  for (const ops::OpFamily& family : ops::ops_catalog()) {
    for (const OpDef* op : family.ops) {
      if (!op->kernel || op->collective) continue;
      std::string& row = ops.at(row_of(*op));
      row += fmt::format("{}`{}`", row.empty() ? "" : ", ", op->name);
    }
  }
  std::string text = "| bf16 | ops |\n|---|---|\n";
  for (size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("| {} | {} |\n", names.at(i), ops.at(i));
  }
  return text;
}

TEST(PrecisionTableOp, TheDocumentHasTheStorageOfEveryOp) {
  const fs::path path = source_dir() / "docs" / "precision.md";
  std::string text = read_file(path, Fault::data);
  const size_t begin = text.find(head), end = text.find(tail);
  ASSERT_NE(begin, text.npos);
  ASSERT_NE(end, text.npos);
  const std::string before = text.substr(0, begin) + std::string(head);
  const std::string made = before + table() + text.substr(end);
  if (std::getenv("UPDATE_GOLDEN")) {
    write_atomically(path, made, Fault::data);
    return;
  }
  EXPECT_EQ(text, made) << "docs/precision.md differs; try: UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace convoy::test
