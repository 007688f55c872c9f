// One row of a COCO file as checked values. Whatever is missing or impossible is Fault::data, with
// the file, the row, and what to try.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/text/json_rows.h"

namespace convoy {

// In pixels of the picture.
struct CocoBox {
  double x, y, width, height;
};

// Raises: "FILE: annotations[3] {what}; try: ...".
[[noreturn]] void raise_coco(const fs::path& file, const JsonTable& table, int64_t row,
                             const std::string& what);

// Borrows all it is given; the columns of `table` are those of `cells`.
class CocoRow {
 public:
  CocoRow(const fs::path& file, const JsonTable& table, int64_t row,
          std::span<const JsonCell> cells)
      : file_(file), table_(table), row_(row), cells_(cells) {}

  // A whole number. Other programs write ids with a decimal point too: 42.0 is 42.
  int64_t id(size_t column) const;
  double number(size_t column) const;
  // 0 or 1, false or true; absent: 0.
  bool flag(size_t column) const;
  // Absent: the empty text.
  std::string text(size_t column) const;
  // A length in pixels; absent: 0.
  int64_t pixels(size_t column) const;
  // Four numbers, x, y, width, height, none of them beyond a billion.
  CocoBox box(size_t column) const;

  [[noreturn]] void fail(const std::string& what) const { raise_coco(file_, table_, row_, what); }

 private:
  const JsonCell& needed(size_t column) const;
  [[noreturn]] void fail_column(size_t column, std::string_view what) const;

  const fs::path& file_;
  const JsonTable& table_;
  int64_t row_;
  std::span<const JsonCell> cells_;
};

// for_each_json_row with a CocoRow; errors in the JSON are Fault::data, with the file.
void for_each_coco_row(const fs::path& file, std::span<const JsonTable> tables,
                       const std::function<void(size_t table, const CocoRow& row)>& take);

}  // namespace convoy
