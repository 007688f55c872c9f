// A table for people and programs: lines of a terminal, CSV, JSON.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace convoy {

// A text, or a number with the form in which people see it.
struct TableCell {
  TableCell(std::string text = {}) : shown(std::move(text)) {}
  // NaN: unknown, an empty cell.
  TableCell(double number, std::string text);

  bool is_number() const { return !std::isnan(value); }

  std::string shown;
  double value = std::numeric_limits<double>::quiet_NaN();
};

struct Table {
  struct Column {
    std::string key;    // in CSV and JSON
    std::string title;  // on the screen
  };
  std::vector<Column> columns;
  std::vector<std::vector<TableCell>> rows;  // each as long as `columns`
};

// Lines with a head, columns side by side; numbers are at the right. Control characters are
// escaped.
std::string table_lines(const Table& table);
// A head line of keys; numbers read back bit for bit.
std::string table_csv(const Table& table);
// A list of objects, one for each row; an empty cell is null.
std::string table_json(const Table& table);

}  // namespace convoy
