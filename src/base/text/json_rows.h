// Reads the tables of a JSON file of any size. A table is a list of objects; each object is a row,
// its members are the columns:
//
//   {"images": [{"id": 1, "width": 640}, ...], "annotations": [...], ...}    or only    [{...}, ...]
//
// The file is read in pieces and one row is in memory at a time, with only the columns that are
// asked for. All else is skipped, whatever it holds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/text/json.h"

namespace convoy {

// The value of a column in a row.
struct JsonCell {
  enum class Kind {
    absent,   // the row has no such member
    integer,  // fits in 64 bits with a sign; a boolean is 0 or 1
    number,   // any other number; always finite
    text,
    numbers,  // a list of numbers, at most `most_numbers`
    other,    // null, an object, or another list
  };
  static constexpr size_t most_numbers = 16;

  Kind kind = Kind::absent;
  int64_t integer = 0;
  double number = 0;  // of an integer too
  std::string text;
  std::vector<double> numbers;
};

struct JsonTable {
  std::string name;  // of the member; empty: the file's outermost value is the table
  std::vector<std::string> columns;
};

// How rows are called in messages: `annotations[3]`; of an outermost list, `entry 3`. From 0.
std::string json_place(const JsonTable& table, int64_t row);

// Called with the number of the table, the number of the row, and a cell for each column.
using TakeJsonRow = std::function<void(size_t table, int64_t row, std::span<const JsonCell> cells)>;

// Calls `take` for each row, in the order of the file. Tables that the file does not have are
// empty. Throws JsonError if the file is not JSON in UTF-8, nests more than 64 deep, has a wanted
// table that is no list of objects, or has a table or a column of a row twice. A failure to read is
// `fault`.
void for_each_json_row(const fs::path& file, std::span<const JsonTable> tables,
                       const TakeJsonRow& take, Fault fault);

}  // namespace convoy
