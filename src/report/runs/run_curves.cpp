#include "report/runs/run_curves.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/json_line.h"
#include "base/text/text.h"
#include "config/value.h"

namespace convoy {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();
constexpr uint64_t most_csv_bytes = uint64_t{64} << 20;
constexpr size_t most_columns = 256;

}  // namespace

const std::vector<double>& EventTable::column(std::string_view name) const {
  static const std::vector<double> none;
  const auto found = std::ranges::find(names_, name);
  return found == names_.end() ? none : columns_[static_cast<size_t>(found - names_.begin())];
}

double EventTable::last(std::string_view name) const {
  const std::vector<double>& values = column(name);
  const auto found =
      std::find_if(values.rbegin(), values.rend(), [](double value) { return !std::isnan(value); });
  return found == values.rend() ? absent : *found;
}

void EventTable::clear() { *this = EventTable(most_rows_); }

void EventTable::set(std::string_view name, double value) {
  if (next_ >= names_.size() || names_[next_] != name) {
    const auto found = std::ranges::find(names_, name);
    next_ = static_cast<size_t>(found - names_.begin());
    if (found == names_.end()) {
      if (names_.size() >= most_columns) return;
      names_.emplace_back(name);
      columns_.emplace_back(rows_, absent);
      row_.push_back(absent);
    }
  }
  row_[next_++] = value;
}

void EventTable::end() {
  next_ = 0;
  if (seen_++ % stride_ != 0) return;
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i].push_back(row_[i]);
  if (++rows_ == most_rows_) thin();
}

void EventTable::thin() {
  for (std::vector<double>& column : columns_) {
    for (size_t row = 0; row < rows_; row += 2) column[row / 2] = column[row];
    column.resize((rows_ + 1) / 2);
  }
  rows_ = (rows_ + 1) / 2;
  stride_ *= 2;
}

RunCurves::RunCurves(const fs::path& run) : file_(run / "metrics.jsonl") {}

void RunCurves::clear() {
  train_.clear();
  evals_.clear();
  damaged_ = 0;
}

FollowedFile::News RunCurves::update() {
  const FollowedFile::News news =
      file_.read([&] { clear(); }, [&](std::string_view line) { take(line); });
  if (news == FollowedFile::News::gone) clear();
  return news;
}

void RunCurves::take(std::string_view line) {
  // The first member tells the kind.
  EventTable* table = nullptr;
  bool is_of_another_kind = false;
  const bool is_whole = scan_json_line(line, [&](std::string_view key, const JsonLineValue& value) {
    if (key == "event") {
      table = value.text == "train" ? &train_ : value.text == "eval" ? &evals_ : nullptr;
      is_of_another_kind = !table;
      if (table) table->begin();
    } else if (table && value.counts()) {
      table->set(key, value.number);
    }
  });
  damaged_ += !is_whole || (!table && !is_of_another_kind);
  if (table && is_whole) table->end();
}

EventTable read_number_csv(const fs::path& path) {
  EventTable table;
  std::vector<std::string> names;
  for_each_line(first_lines(path, most_csv_bytes), [&](std::string_view line) {
    std::vector<std::string> fields = split(line, ',');
    if (names.empty()) {
      names = std::move(fields);
      return;
    }
    if (fields.size() != names.size()) return;
    table.begin();
    for (size_t i = 0; i < fields.size(); ++i) {
      double value = absent;
      if (fields[i] == "inf" || fields[i] == "-inf") {
        value = fields[i][0] == '-' ? -std::numeric_limits<double>::infinity()
                                    : std::numeric_limits<double>::infinity();
      } else if (!parse_value(fields[i], value).empty()) {
        value = absent;
      }
      table.set(names[i], value);
    }
    table.end();
  });
  return table;
}

std::vector<size_t> telling_points(const std::vector<double>& values, size_t most) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) numbers.push_back(i);
  }
  if (numbers.size() <= most || most < 4) return numbers;
  const size_t pieces = most / 2;
  std::vector<size_t> chosen{numbers.front()};
  for (size_t piece = 0; piece < pieces; ++piece) {
    const auto begin = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() * piece / pieces);
    const auto end =
        numbers.begin() + static_cast<ptrdiff_t>(numbers.size() * (piece + 1) / pieces);
    const auto [low, high] =
        std::minmax_element(begin, end, [&](size_t a, size_t b) { return values[a] < values[b]; });
    for (const size_t at : {std::min(*low, *high), std::max(*low, *high)}) {
      if (at > chosen.back()) chosen.push_back(at);
    }
  }
  if (chosen.back() != numbers.back()) chosen.push_back(numbers.back());
  return chosen;
}

}  // namespace convoy
