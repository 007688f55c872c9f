#include "report/runs/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/utf8.h"

namespace convoy {
namespace {

size_t columns_on_screen(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, size_t width, bool right) {
  const size_t used = columns_on_screen(text);
  const std::string blanks(width > used ? width - used : 0, ' ');
  return right ? blanks + text : text + blanks;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string csv_text(const TableCell& cell) {
  return cell.is_number() ? fmt::format("{}", cell.value) : csv_field(cell.shown);
}

}  // namespace

TableCell::TableCell(double number, std::string text)
    : shown(std::isnan(number) ? "" : std::move(text)), value(number) {}

std::string table_lines(const Table& table) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Table::Column& column : table.columns) lines[0].push_back(column.title);
  for (const std::vector<TableCell>& row : table.rows) {
    lines.emplace_back();
    for (const TableCell& cell : row) lines.back().push_back(one_line(cell.shown));
  }
  std::vector<size_t> widths(table.columns.size());
  std::vector<bool> is_right(table.columns.size(), false);
  for (size_t c = 0; c < widths.size(); ++c) {
    for (const auto& line : lines) widths[c] = std::max(widths[c], columns_on_screen(line[c]));
    for (const auto& row : table.rows) is_right[c] = is_right[c] || row[c].is_number();
  }
  std::string text;
  for (const auto& line : lines) {
    std::string one;
    for (size_t c = 0; c < widths.size(); ++c) {
      one += (c ? "  " : "") + padded(line[c], widths[c], is_right[c]);
    }
    one.erase(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  }
  return text;
}

std::string table_csv(const Table& table) {
  std::string text;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    text += (c ? "," : "") + csv_field(table.columns[c].key);
  }
  text += "\n";
  for (const auto& row : table.rows) {
    for (size_t c = 0; c < row.size(); ++c) text += (c ? "," : "") + csv_text(row[c]);
    text += "\n";
  }
  return text;
}

std::string table_json(const Table& table) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object;
    for (size_t c = 0; c < row.size(); ++c) {
      nlohmann::ordered_json& value = object[table.columns[c].key];
      if (row[c].is_number()) {
        value = row[c].value;
      } else if (!row[c].shown.empty()) {
        value = row[c].shown;
      }
    }
    all.push_back(std::move(object));
  }
  return json_text(all, 2) + "\n";
}

}  // namespace convoy
