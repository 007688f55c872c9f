#include "base/text/json_rows.h"

#include <gtest/gtest.h>

#include "support/raises.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

using Kind = JsonCell::Kind;

class JsonRows : public testing::Test {
 protected:
  struct Row {
    size_t table;
    int64_t row;
    std::vector<JsonCell> cells;
  };
  std::vector<Row> read(const std::string& text, const std::vector<JsonTable>& tables) const {
    write_atomically(folder_ / "rows.json", text, Fault::bug);
    std::vector<Row> rows;
    for_each_json_row(
        folder_ / "rows.json", tables,
        [&](size_t table, int64_t row, std::span<const JsonCell> cells) {
          rows.push_back({table, row, {cells.begin(), cells.end()}});
        },
        Fault::data);
    return rows;
  }
  // What is said about the text; empty: it was read.
  std::string refusal(const std::string& text, const std::vector<JsonTable>& tables) const {
    try {
      read(text, tables);
    } catch (const JsonError& error) {
      return error.what();
    }
    return "";
  }

  TempFolder folder_;
  const std::vector<JsonTable> list_{{"", {"a", "b"}}};
  const std::vector<JsonTable> two_{{"x", {"a"}}, {"y", {"b", "c"}}};
};

TEST_F(JsonRows, EveryKindOfValueIsKnown) {
  const auto rows = read(R"([{"a": -3, "b": 2.5}, {"a": "te\u0078t", "b": [1, 2.5, -3]},
    {"a": true, "b": null}, {}, {"b": {"a": 1, "b": [2]}, "a": [[1, {"a": 7}], 2]},
    {"a": 18446744073709551615, "b": ["x", 1]},
    {"a": [], "b": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18]}])",
                         list_);
  ASSERT_EQ(rows.size(), 7u);
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].row, static_cast<int64_t>(i));
  EXPECT_EQ(rows[0].cells[0].kind, Kind::integer);
  EXPECT_EQ(rows[0].cells[0].integer, -3);
  EXPECT_EQ(rows[0].cells[0].number, -3);
  EXPECT_EQ(rows[0].cells[1].kind, Kind::number);
  EXPECT_EQ(rows[0].cells[1].number, 2.5);
  EXPECT_EQ(rows[1].cells[0].kind, Kind::text);
  EXPECT_EQ(rows[1].cells[0].text, "text");
  EXPECT_EQ(rows[1].cells[1].kind, Kind::numbers);
  EXPECT_EQ(rows[1].cells[1].numbers, (std::vector<double>{1, 2.5, -3}));
  EXPECT_EQ(rows[2].cells[0].kind, Kind::integer);
  EXPECT_EQ(rows[2].cells[0].integer, 1);
  EXPECT_EQ(rows[2].cells[1].kind, Kind::other);
  EXPECT_EQ(rows[3].cells[0].kind, Kind::absent);
  EXPECT_EQ(rows[4].cells[0].kind, Kind::other);
  EXPECT_EQ(rows[4].cells[1].kind, Kind::other);
  EXPECT_EQ(rows[5].cells[0].kind, Kind::number);
  EXPECT_EQ(rows[5].cells[1].kind, Kind::other);
  EXPECT_EQ(rows[6].cells[0].kind, Kind::numbers);
  EXPECT_EQ(rows[6].cells[0].numbers.size(), 0u);
  EXPECT_EQ(rows[6].cells[1].kind, Kind::other);
}

TEST_F(JsonRows, OnlyWantedTablesAreRead) {
  const auto rows = read(R"({"z": [{"a": 1, "b": 1}], "y": [{"c": 1, "b": 2, "z": [{"b": 9}]}],
    "q": {"x": [{"a": 5}]}, "r": [[{"a": 3}]], "x": [{"a": 4, "x": {"a": 8}}, {"b": 1}]})",
                         two_);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].table, 1u);
  EXPECT_EQ(rows[0].cells[0].integer, 2);
  EXPECT_EQ(rows[0].cells[1].integer, 1);
  EXPECT_EQ(rows[1].table, 0u);
  EXPECT_EQ(rows[1].cells[0].integer, 4);
  EXPECT_EQ(rows[2].cells[0].kind, Kind::absent);
  EXPECT_TRUE(read("{}", two_).empty());
  EXPECT_TRUE(read("[]", list_).empty());
}

TEST_F(JsonRows, WhatIsNoTableIsRefused) {
  EXPECT_EQ(refusal("{}", list_), "is not a list");
  EXPECT_EQ(refusal("\"a\"", list_), "is not a list");
  EXPECT_EQ(refusal("[{}, 3]", list_), "entry 1 is not an object");
  EXPECT_EQ(refusal("[[{}]]", list_), "entry 0 is not an object");
  EXPECT_EQ(refusal("[]", two_), "is not an object");
  EXPECT_EQ(refusal("null", two_), "is not an object");
  EXPECT_EQ(refusal(R"({"x": 3})", two_), "has \"x\" that is not a list");
  EXPECT_EQ(refusal(R"({"x": {"a": 3}})", two_), "has \"x\" that is not a list");
  EXPECT_EQ(refusal(R"({"x": [{}, "b"]})", two_), "x[1] is not an object");
  EXPECT_EQ(refusal(R"({"x": [], "y": [], "x": []})", two_), "has \"x\" twice");
  EXPECT_EQ(refusal(R"([{"a": 1, "b": 2, "a": 3}])", list_), "has \"a\" twice in entry 0");
  EXPECT_EQ(refusal(R"([{"b": [1], "b": [2]}])", list_), "has \"b\" twice in entry 0");
}

TEST_F(JsonRows, WhatIsNotJsonIsRefusedWithItsPlace) {
  EXPECT_NE(refusal(R"([{}, {"a": NaN}])", list_).find("is not JSON in entry 1: "),
            std::string::npos);
  EXPECT_NE(refusal(R"({"x": [{}, {}, {"a": )", two_).find("in x[2]"), std::string::npos);
  EXPECT_NE(refusal("", list_), "");
  EXPECT_NE(refusal("[] []", list_), "");
  EXPECT_NE(refusal("[{\"a\": \"\xff\"}]", list_), "");
  EXPECT_EQ(refusal("\xef\xbb\xbf[]", list_), "begins with a byte order mark");
  EXPECT_EQ(refusal(std::string("[]\0", 3), list_), "contains a zero byte");
  EXPECT_EQ(refusal("[{\"q\": " + std::string(100'000, '[') + "}]", list_), "nests too deeply");
  expect_raises(Fault::data, {"none.json"}, [&] {
    for_each_json_row(
        folder_ / "none.json", list_, [](auto...) {}, Fault::data);
  });
}

TEST_F(JsonRows, AFileOfManyPiecesIsReadWhole) {
  std::string text = "[";
  constexpr int64_t rows = 100'000;
  for (int64_t i = 0; i < rows; ++i) {
    text +=
        (i ? ",\n{\"a\":" : "{\"a\":") + std::to_string(i * i) + ",\"b\":[0.5,1e3],\"c\":\"ö\"}";
  }
  const auto all = read(text + "]", list_);  // 4 MB
  ASSERT_EQ(all.size(), static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    ASSERT_EQ(all[static_cast<size_t>(i)].cells[0].integer, i * i);
    ASSERT_EQ(all[static_cast<size_t>(i)].cells[1].numbers, (std::vector<double>{0.5, 1000}));
  }
}

}  // namespace
}  // namespace convoy::test
