#include "boxes/coco_row.h"

#include <fmt/core.h>

#include <cmath>

namespace convoy {
namespace {

using Kind = JsonCell::Kind;

constexpr double most_pixels = 1e9;

}  // namespace

void raise_coco(const fs::path& file, const JsonTable& table, int64_t row,
                const std::string& what) {
  raise(Fault::data, "{}: {} {}; try: correct it or make the file again", file.string(),
        json_place(table, row), what);
}

void CocoRow::fail_column(size_t column, std::string_view what) const {
  fail(fmt::format("has {:?} that is {}", table_.columns[column], what));
}

const JsonCell& CocoRow::needed(size_t column) const {
  if (cells_[column].kind == Kind::absent) fail(fmt::format("has no {:?}", table_.columns[column]));
  return cells_[column];
}

int64_t CocoRow::id(size_t column) const {
  const JsonCell& cell = needed(column);
  if (cell.kind == Kind::integer) return cell.integer;
  constexpr double exact = 1LL << 53;
  if (cell.kind != Kind::number || std::trunc(cell.number) != cell.number ||
      std::abs(cell.number) > exact) {
    fail_column(column, "not a whole number");
  }
  return static_cast<int64_t>(cell.number);
}

double CocoRow::number(size_t column) const {
  const JsonCell& cell = needed(column);
  if (cell.kind != Kind::integer && cell.kind != Kind::number) fail_column(column, "not a number");
  return cell.number;
}

bool CocoRow::flag(size_t column) const {
  if (cells_[column].kind == Kind::absent) return false;
  const double value = number(column);
  if (value != 0 && value != 1) fail_column(column, "neither 0 nor 1");
  return value == 1;
}

std::string CocoRow::text(size_t column) const {
  const JsonCell& cell = cells_[column];
  if (cell.kind == Kind::absent) return "";
  if (cell.kind != Kind::text) fail_column(column, "not a text");
  return cell.text;
}

int64_t CocoRow::pixels(size_t column) const {
  if (cells_[column].kind == Kind::absent) return 0;
  const int64_t length = id(column);
  if (length < 0 || static_cast<double>(length) > most_pixels) {
    fail_column(column, "not a number of pixels");
  }
  return length;
}

CocoBox CocoRow::box(size_t column) const {
  const JsonCell& cell = needed(column);
  if (cell.kind != Kind::numbers || cell.numbers.size() != 4) {
    fail_column(column, "not a list of four numbers");
  }
  for (const double value : cell.numbers) {
    if (std::abs(value) > most_pixels) fail_column(column, "far outside of any picture");
  }
  return {cell.numbers[0], cell.numbers[1], cell.numbers[2], cell.numbers[3]};
}

void for_each_coco_row(const fs::path& file, std::span<const JsonTable> tables,
                       const std::function<void(size_t table, const CocoRow& row)>& take) {
  try {
    for_each_json_row(
        file, tables,
        [&](size_t table, int64_t row, std::span<const JsonCell> cells) {
          take(table, CocoRow(file, tables[table], row, cells));
        },
        Fault::data);
  } catch (const JsonError& error) {
    raise(Fault::data, "{} {}; try: make or fetch the file again", file.string(), error.what());
  }
}

}  // namespace convoy
